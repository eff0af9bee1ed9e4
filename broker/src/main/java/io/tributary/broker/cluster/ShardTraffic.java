package io.tributary.broker.cluster;

import io.tributary.broker.cluster.NodeMessage.AllAttached;
import io.tributary.broker.cluster.NodeMessage.AllSettled;
import io.tributary.broker.cluster.NodeMessage.AskForAllSettled;
import io.tributary.broker.cluster.NodeMessage.AttachRefused;
import io.tributary.broker.cluster.NodeMessage.AttachedTo;
import io.tributary.broker.cluster.NodeMessage.Deliver;
import io.tributary.broker.cluster.NodeMessage.OwnerMessage;
import io.tributary.broker.cluster.NodeMessage.OwnerSpeaks;
import io.tributary.broker.cluster.NodeMessage.QosZero;
import io.tributary.broker.cluster.NodeMessage.Received;
import io.tributary.broker.cluster.NodeMessage.ReceivedLogged;
import io.tributary.broker.cluster.NodeMessage.Relayed;
import io.tributary.broker.cluster.NodeMessage.Resume;
import io.tributary.broker.cluster.NodeMessage.Settle;
import io.tributary.broker.cluster.NodeMessage.TakenOver;
import io.tributary.broker.cluster.NodeMessage.ToOwner;
import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.link.Link;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.OwnerTarget;
import io.tributary.broker.shard.Shards;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueKind;
import io.tributary.common.event.RecordFormat;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries what owners of shards and connections tell each other between nodes. What is lost, because a link broke or was full,
 * is told again: the owner names all connections anew, and they repeat their acknowledgements. Any thread; never blocks.
 */
public final class ShardTraffic implements OtherNodes {
    private static final long PATIENCE_MILLIS = 500;

    private final Supplier<Collection<String>> alive;
    private final BooleanSupplier current;
    private final Supplier<CompletionStage<@Nullable Void>> caughtUp;
    private final ScheduledExecutorService timer;
    private final ConcurrentMap<String, Link> links = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, KnownOwner> owners = new ConcurrentHashMap<>();
    /** What owners on other nodes say, by link and shard; each is used by its link's event loop only. */
    private final ConcurrentMap<Link, Map<Integer, Spoken>> spoken = new ConcurrentHashMap<>();

    /** What waits until a link has room. */
    private final Set<Unasked> toAsk = ConcurrentHashMap.newKeySet();

    private final RecordFormat format;
    private volatile @Nullable Shards shards;

    /** Who has spoken as the owner of a shard, and whether it serves it already. */
    private record KnownOwner(String node, long epoch, boolean isLive) {
        private KnownOwner liveSince(long liveEpoch) {
            return liveEpoch == epoch ? new KnownOwner(node, epoch, true) : this;
        }
    }

    private record Unasked(Link link, int shard) {}

    private record Spoken(long ownerEpoch, OwnerTarget target) {}

    /**
     * Creates one that knows no link.
     *
     * @param alive the other nodes that are alive, as their {@code Attach} names them
     * @param current whether this node knows what the others know
     * @param caughtUp completes when this node knows of all nodes that there are at the time of the call
     * @param timer for what is tried again
     * @param format says in which format frames are written
     */
    public ShardTraffic(
            Supplier<Collection<String>> alive,
            BooleanSupplier current,
            Supplier<CompletionStage<@Nullable Void>> caughtUp,
            ScheduledExecutorService timer,
            RecordFormat format) {
        this.format = format;
        this.alive = alive;
        this.current = current;
        this.caughtUp = caughtUp;
        this.timer = timer;
    }

    /** Sets the shards of this node; before the first link is up. */
    public void serve(Shards own) {
        shards = own;
    }

    /** There is a link to a node: owners here tell its connections everything again. */
    public void onUp(Link link) {
        String node = link.peer().toString();
        spoken.put(link, new ConcurrentHashMap<>());
        links.put(node, link);
        own().reachable(node);
    }

    /** A link is gone. */
    public void onDown(Link link) {
        links.remove(link.peer().toString(), link);
        spoken.remove(link);
    }

    /** The owner of a shard on another node says something; on the link's event loop. */
    void take(Link link, OwnerMessage message) {
        if (message instanceof OwnerSpeaks(int shard, long ownerEpoch)) {
            listen(link, shard, ownerEpoch);
            return;
        }
        Spoken by = spokenOver(link).get(message.shard());
        if (by == null || by.ownerEpoch != message.ownerEpoch()) {
            return; // nobody says anything before OwnerSpeaks
        }
        OwnerTarget target = by.target;
        switch (message) {
            case OwnerSpeaks _ -> throw new IllegalStateException("taken above");
            case AttachedTo to -> target.attached(to.connection(), to.attached());
            case AllAttached all -> {
                target.allAttached(all.upTo());
                owners.computeIfPresent(all.shard(), (_, owner) -> owner.liveSince(all.ownerEpoch()));
            }
            case AttachRefused refused -> target.refused(refused.connection(), refused.existing());
            case TakenOver from -> target.takenOver(from.connection());
            case AskForAllSettled(int shard, long _, String clientId, long epoch) -> {
                // Not taken, it is not waited for: an owner that gets no answer goes on after a moment.
                boolean _ = link.send(FrameBuilder.frameOf(new AllSettled(shard, clientId, epoch), format));
            }
            case Deliver deliver -> target.deliver(deliver.connection(), deliver.deliveries());
            case ReceivedLogged logged -> target.received(logged.connection(), logged.sequences());
            case Relayed relayed -> target.relayed(relayed.epoch(), relayed.packetId());
        }
    }

    private void listen(Link link, int shard, long ownerEpoch) {
        String node = link.peer().toString();
        owners.merge(shard, new KnownOwner(node, ownerEpoch, false), (old, now) -> now.epoch >= old.epoch ? now : old);
        spokenOver(link).put(shard, new Spoken(ownerEpoch, own().from(shard, ownerEpoch)));
    }

    /** A connection on another node has something for an owner here; on the link's event loop. */
    void take(Link link, ToOwner message) {
        switch (message) {
            case Settle settle ->
                own().settledElsewhere(settle.shard(), settle.clientId(), settle.epoch(), settle.sequences());
            case Received received ->
                own().receivedElsewhere(received.shard(), received.clientId(), received.epoch(), received.sequences());
            case AllSettled(int shard, String clientId, long epoch) -> own().allSettled(shard, clientId, epoch);
            case Resume(int shard) -> own().reachable(shard, link.peer().toString());
        }
    }

    @Override
    public OwnerTarget of(String node, int shard, long ownerEpoch) {
        Link link = links.get(node);
        Way way = new Way(node, link, shard, ownerEpoch);
        way.send(new OwnerSpeaks(shard, ownerEpoch));
        return way;
    }

    @Override
    public Collection<String> alive() {
        return alive.get();
    }

    @Override
    public boolean isCurrent() {
        return current.getAsBoolean();
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        return caughtUp.get();
    }

    @Override
    public boolean isOwned(int shard) {
        KnownOwner owner = owners.get(shard);
        return owner != null && owner.isLive && links.containsKey(owner.node);
    }

    @Override
    public boolean isOutOfReach(int shard) {
        KnownOwner owner = owners.get(shard);
        return owner != null && !links.containsKey(owner.node) && alive.get().contains(owner.node);
    }

    @Override
    public void ownedHere(int shard, long ownerEpoch) {
        owners.compute(shard, (_, old) -> old == null || old.epoch < ownerEpoch ? null : old);
    }

    /**
     * Hands a message of QoS 0 to the owner of a persistent session that has no connection here.
     *
     * @return false when nobody is known to own it, or the owner cannot be told
     */
    boolean qos0(String clientId, long session, Queued message) {
        int shard = own().shardOf(clientId);
        if (own().isLive(shard)) {
            own().qos0(shard, clientId, session, message);
            return true;
        }
        KnownOwner owner = owners.get(shard);
        Link link = owner == null ? null : links.get(owner.node);
        return link != null && link.send(FrameBuilder.frameOf(new QosZero(shard, clientId, session, message), format));
    }

    /** A message of QoS 0 for a session that is connected here, or of which this node knows where. */
    void take(QosZero to) {
        if (!own().deliverQos0(to.clientId(), to.session(), to.message())) {
            own().qos0(to.shard(), to.clientId(), to.session(), to.message());
        }
    }

    @Override
    public boolean settle(int shard, String clientId, long epoch, long[] sequences) {
        return tellOwner(shard, new Settle(shard, clientId, epoch, sequences));
    }

    @Override
    public boolean received(int shard, String clientId, long epoch, long[] sequences) {
        return tellOwner(shard, new Received(shard, clientId, epoch, sequences));
    }

    /** Tells the owner of a shard, if that is another node; what it cannot be told it asks for when it names all again. */
    private boolean tellOwner(int shard, ToOwner message) {
        KnownOwner owner = owners.get(shard);
        if (owner == null) {
            return false;
        }
        Link link = links.get(owner.node);
        if (link != null && !link.send(FrameBuilder.frameOf(message, format))) {
            askAgain(link, shard);
        }
        return true;
    }

    /** Until a break of the link, with which everything is told again anyway; once at a time for each shard. */
    private void askAgain(Link link, int shard) {
        Unasked unasked = new Unasked(link, shard);
        if (toAsk.add(unasked)) {
            later(() -> {
                toAsk.remove(unasked);
                if (isUp(link) && !link.send(FrameBuilder.frameOf(new Resume(shard), format))) {
                    askAgain(link, shard);
                }
            });
        }
    }

    private boolean isUp(Link link) {
        return link.equals(links.get(link.peer().toString()));
    }

    private void later(Runnable action) {
        if (!timer.isShutdown()) {
            ScheduledFuture<?> _ = timer.schedule(action, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private Map<Integer, Spoken> spokenOver(Link link) {
        return spoken.getOrDefault(link, Map.of());
    }

    private Shards own() {
        Shards own = shards;
        if (own == null) {
            throw new IllegalStateException("there are no shards yet");
        }
        return own;
    }

    /** The way of an owner here to the connections of another node. Confined to the thread of the shard. */
    private final class Way implements OwnerTarget {
        private final String node;
        private final @Nullable Link link;
        private final int shard;
        private final long ownerEpoch;
        private boolean isBroken;

        private Way(String node, @Nullable Link link, int shard, long ownerEpoch) {
            this.node = node;
            this.link = link;
            this.shard = shard;
            this.ownerEpoch = ownerEpoch;
        }

        /**
         * From the first loss on everything is lost: what follows must not arrive without it.
         *
         * @return whether the link has taken it, and all before it
         */
        private boolean send(OwnerMessage message) {
            if (link == null || isBroken) {
                return false;
            }
            FrameBuilder frames = new FrameBuilder(format, frame -> isBroken = isBroken || !link.send(frame));
            frames.add(message);
            frames.finish();
            if (isBroken && isUp(link)) {
                later(() -> own().reachable(shard, node));
            }
            return !isBroken;
        }

        @Override
        public void attached(long connection, Attached attached) {
            send(new AttachedTo(shard, ownerEpoch, connection, attached));
        }

        @Override
        public void allAttached(long upTo) {
            send(new AllAttached(shard, ownerEpoch, upTo));
        }

        @Override
        public void refused(long connection, QueueKind existing) {
            send(new AttachRefused(shard, ownerEpoch, connection, existing));
        }

        @Override
        public boolean takenOver(long connection) {
            return send(new TakenOver(shard, ownerEpoch, connection));
        }

        @Override
        public boolean askForAllSettled(String clientId, long epoch) {
            return send(new AskForAllSettled(shard, ownerEpoch, clientId, epoch));
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {
            send(new Deliver(shard, ownerEpoch, connection, deliveries));
        }

        @Override
        public void received(long connection, long[] sequences) {
            send(new ReceivedLogged(shard, ownerEpoch, connection, sequences));
        }

        @Override
        public void relayed(long epoch, int packetId) {
            send(new Relayed(shard, ownerEpoch, epoch, packetId));
        }

        /** Its loss breaks nothing: nobody waits for a message of QoS 0. */
        @Override
        public void qos0(String clientId, long session, Queued message) {
            if (link != null && !isBroken) {
                link.send(FrameBuilder.frameOf(new QosZero(shard, clientId, session, message), format));
            }
        }
    }
}
