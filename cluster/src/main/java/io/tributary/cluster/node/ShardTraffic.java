package io.tributary.cluster.node;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.OtherNodes;
import io.tributary.broker.shard.OwnerTarget;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.AllAttached;
import io.tributary.cluster.node.NodeMessage.AskForAllSettled;
import io.tributary.cluster.node.NodeMessage.AttachRefused;
import io.tributary.cluster.node.NodeMessage.AttachedLater;
import io.tributary.cluster.node.NodeMessage.AttachedTo;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.OwnerMessage;
import io.tributary.cluster.node.NodeMessage.OwnerSpeaks;
import io.tributary.cluster.node.NodeMessage.QosZero;
import io.tributary.cluster.node.NodeMessage.Received;
import io.tributary.cluster.node.NodeMessage.ReceivedLogged;
import io.tributary.cluster.node.NodeMessage.Relayed;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.cluster.node.NodeMessage.Settle;
import io.tributary.cluster.node.NodeMessage.TakenOver;
import io.tributary.cluster.node.NodeMessage.ToOwner;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages of this node's owners and connections to connections and owners on other nodes; {@link
 * ShardArrivals} takes the messages of the other direction. A message that is lost, because a link broke or was full,
 * is told again: the owner names all connections anew, and they repeat their acknowledgements. Any thread; never
 * blocks.
 */
public final class ShardTraffic implements OtherNodes {
    private static final long PATIENCE_MILLIS = 500;

    private final Supplier<Collection<String>> alive;
    private final BooleanSupplier current;
    private final Supplier<CompletionStage<@Nullable Void>> caughtUp;
    private final ToIntFunction<String> shardOf;
    private final ScheduledExecutorService timer;
    private final ConcurrentMap<String, Link> links = new ConcurrentHashMap<>();
    private final ConcurrentMap<Integer, KnownOwner> owners = new ConcurrentHashMap<>();
    /** The last owner of each shard on this node; when that has lost it, one in {@link #owners} is newer. */
    private final ConcurrentMap<Integer, KnownHere> ownersHere = new ConcurrentHashMap<>();

    private volatile Runnable served = () -> {};

    /** Messages that wait until a link has room. */
    private final Set<LinkOfShard> toAsk = ConcurrentHashMap.newKeySet();

    private final RecordFormat format;

    /** The node that has spoken as the owner of a shard, and whether it serves the shard already. */
    private record KnownOwner(String node, long epoch, boolean isLive) {
        private KnownOwner liveSince(long liveEpoch) {
            return liveEpoch == epoch ? new KnownOwner(node, epoch, true) : this;
        }
    }

    private record KnownHere(OwnerHere owner, long epoch) {}

    private record LinkOfShard(Link link, int shard) {}

    /**
     * Creates it without any link.
     *
     * @param alive the other nodes that are alive, as their {@code Attach} names them
     * @param current whether this node knows what the others know
     * @param caughtUp completes when this node knows of all nodes that there are at the time of the call
     * @param shardOf the shard of a client identifier
     * @param timer for what is tried again
     * @param format says in which format frames are written
     */
    public ShardTraffic(
            Supplier<Collection<String>> alive,
            BooleanSupplier current,
            Supplier<CompletionStage<@Nullable Void>> caughtUp,
            ToIntFunction<String> shardOf,
            ScheduledExecutorService timer,
            RecordFormat format) {
        this.format = format;
        this.alive = alive;
        this.current = current;
        this.caughtUp = caughtUp;
        this.shardOf = shardOf;
        this.timer = timer;
    }

    /** There is a link to a node. */
    void onUp(Link link) {
        links.put(link.peer().toString(), link);
    }

    /** A link is gone. */
    void onDown(Link link) {
        links.remove(link.peer().toString(), link);
    }

    /** The owner of a shard on another node begins to talk, which counts unless a newer one was heard, or was here. */
    void onOwner(Link link, int shard, long ownerEpoch) {
        KnownOwner owner = new KnownOwner(link.peer().toString(), ownerEpoch, false);
        owners.compute(shard, (_, old) -> {
            KnownHere here = ownersHere.get(shard);
            boolean isOutdated = (here != null && ownerEpoch < here.epoch) || (old != null && ownerEpoch < old.epoch);
            return isOutdated ? old : owner;
        });
    }

    /** The owner of a shard on another node serves it from now on. */
    void onOwnerLive(int shard, long ownerEpoch) {
        owners.computeIfPresent(shard, (_, owner) -> owner.liveSince(ownerEpoch));
        served.run();
    }

    @Override
    public OwnerTarget of(String node, int shard, long ownerEpoch, Runnable onBreak) {
        Link link = links.get(node);
        NodeTarget way = new NodeTarget(link, shard, ownerEpoch, onBreak);
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

    /**
     * Whether a process serves a shard, as far as this node knows.
     *
     * @param isHere whether it is this process
     */
    boolean isServedBy(int shard, String process, boolean isHere) {
        KnownOwner owner = owners.get(shard);
        return isHere
                ? owner == null && ownersHere.containsKey(shard)
                : owner != null && owner.isLive && owner.node.equals(process);
    }

    /** Sets what is told when a shard begins to be served, here or by another node; before the first link. */
    void onServed(Runnable listener) {
        served = listener;
    }

    /** The node that serves a shard, if that is another one that can be reached; else null. */
    @Nullable
    String ownerOf(int shard) {
        KnownOwner owner = owners.get(shard);
        return owner != null && owner.isLive && links.containsKey(owner.node) ? owner.node : null;
    }

    @Override
    public boolean isOutOfReach(int shard) {
        KnownOwner owner = owners.get(shard);
        return owner != null && !links.containsKey(owner.node) && alive.get().contains(owner.node);
    }

    @Override
    public void ownedHere(int shard, long ownerEpoch, OwnerHere owner) {
        ownersHere.put(shard, new KnownHere(owner, ownerEpoch)); // first, or an older one could come between
        owners.compute(shard, (_, old) -> old == null || old.epoch < ownerEpoch ? null : old);
        served.run();
    }

    /**
     * Hands a message of QoS 0 to the owner of a persistent session that has no connection here.
     *
     * @return false when nobody is known to own it, or the owner cannot be told
     */
    boolean qos0(String clientId, long session, Queued message) {
        int shard = shardOf.applyAsInt(clientId);
        KnownHere here = ownersHere.get(shard);
        if (here != null && here.owner.qos0(clientId, session, message)) {
            return true;
        }
        KnownOwner owner = owners.get(shard);
        Link link = owner == null ? null : links.get(owner.node);
        return link != null && link.send(FrameBuilder.frameOf(new QosZero(shard, clientId, session, message), format));
    }

    @Override
    public boolean settle(int shard, String clientId, long epoch, long[] sequences) {
        return tellOwner(shard, new Settle(shard, clientId, epoch, sequences));
    }

    @Override
    public boolean received(int shard, String clientId, long epoch, long[] sequences) {
        return tellOwner(shard, new Received(shard, clientId, epoch, sequences));
    }

    /**
     * Tells the owner of a shard, if that is another node. Where the link takes nothing more the message is lost; the
     * owner is then asked to tell again about all connections that this node has in the shard.
     *
     * @return whether another node is known to own the shard
     */
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
        LinkOfShard unasked = new LinkOfShard(link, shard);
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

    /** The way of an owner here to the connections of another node. Confined to the thread of the shard. */
    private final class NodeTarget implements OwnerTarget {
        private final @Nullable Link link;
        private final int shard;
        private final long ownerEpoch;
        private final Runnable onBreak;
        private boolean isBroken;

        private NodeTarget(@Nullable Link link, int shard, long ownerEpoch, Runnable onBreak) {
            this.link = link;
            this.shard = shard;
            this.ownerEpoch = ownerEpoch;
            this.onBreak = onBreak;
        }

        /**
         * From the first loss on every message is lost: later messages must not arrive without the lost one.
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
                later(onBreak);
            }
            return !isBroken;
        }

        @Override
        public void attached(long connection, Attached attached) {
            send(new AttachedTo(shard, ownerEpoch, connection, attached));
        }

        @Override
        public boolean attachedLater(long connection) {
            if (format.toWrite() < RecordFormat.ATTACHED_LATER) {
                return false;
            }
            send(new AttachedLater(shard, ownerEpoch, connection));
            return true;
        }

        @Override
        public void allAttached(long upTo) {
            send(new AllAttached(shard, ownerEpoch, upTo));
        }

        @Override
        public void refused(long connection, AttachRefusal reason) {
            send(new AttachRefused(shard, ownerEpoch, connection, reason));
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
        public void receivedLogged(long connection, long[] sequences) {
            send(new ReceivedLogged(shard, ownerEpoch, connection, sequences));
        }

        @Override
        public void relayed(long epoch, int packetId) {
            send(new Relayed(shard, ownerEpoch, epoch, packetId));
        }

        /** Its loss breaks nothing: no acknowledgement is owed for a message of QoS 0. */
        @Override
        public void qos0(String clientId, long session, Queued message) {
            if (link != null && !isBroken) {
                link.send(FrameBuilder.frameOf(new QosZero(shard, clientId, session, message), format));
            }
        }
    }
}
