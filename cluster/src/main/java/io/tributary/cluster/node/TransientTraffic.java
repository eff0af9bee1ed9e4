package io.tributary.cluster.node;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.broker.delivery.TransientReceiver;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.cluster.node.PeerChannels.PeerChannel;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages for transient sessions between nodes. The sender of a message that is acknowledged to its publisher
 * is told when it is taken: all that one read of a link brought with one answer. What is not taken within
 * {@link #PATIENCE} is given up, for a node that does not answer must hold nobody up. Any thread; never blocks.
 *
 * <p>What is on its way is bounded by the links' limits in bytes, and by the windows of the publishers. Where these
 * {@linkplain LinkHolds wait}, it is bounded by {@link LinkHolds#MOST_BYTES}, and messages of QoS 0 are answered, too:
 * then publishers wait for a silent node, but no longer than {@link #PATIENCE} for a message.
 */
final class TransientTraffic implements NodeInbox {
    /** How long a node may take to take a message. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final long UNNUMBERED = 0;
    private static final long LOOK_NANOS = PATIENCE.toNanos() / 4;

    private final ShardTraffic owners;
    private final SharedTraffic shared;
    private final ClusterTimer timer;
    private final RecordFormat format;
    private final boolean publishersWait;
    private final ClusterRecorder recorder;
    private final AtomicLong lastId = new AtomicLong(UNNUMBERED);
    private final PeerChannels<Waiting> channels = new PeerChannels<>();
    /** What was taken and not answered yet; each list is used by its link's event loop only. */
    private final ConcurrentMap<Link, List<Long>> unanswered = new ConcurrentHashMap<>();

    private final ConcurrentMap<Link, LinkHolds> holds = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /**
     * A message that is to be answered.
     *
     * @param taken null for a message of QoS 0, whose publisher does not wait for the answer
     * @param publisher kept apart, for {@code taken} has the message
     * @param held where it may count
     * @param counted how many bytes count there
     */
    private record Waiting(
            long sinceNanos,
            @Nullable Runnable taken,
            @Nullable Consumer<RoomQueue> publisher,
            @Nullable LinkHolds held,
            long counted) {

        void end() {
            if (held != null && counted > 0) {
                held.release(counted);
            }
            if (taken != null) {
                taken.run();
            }
        }
    }

    /** @param publishersWait whether publishers are to wait for clients of this node */
    TransientTraffic(
            ShardTraffic owners,
            SharedTraffic shared,
            ClusterTimer timer,
            RecordFormat format,
            boolean publishersWait,
            ClusterRecorder recorder) {
        this.publishersWait = publishersWait;
        this.format = format;
        this.owners = owners;
        this.shared = shared;
        this.timer = timer;
        this.recorder = recorder;
        timer.after(LOOK_NANOS, this::look);
    }

    /** There is a link to a node. */
    void onUp(Link link) {
        unanswered.put(link, new ArrayList<>());
        LinkHolds held = new LinkHolds(link, publishersWait, format);
        holds.put(link, held);
        channels.up(link);
        held.sendPending();
    }

    /** A link is gone: messages on their way over it are given up. */
    void onDown(Link link) {
        unanswered.remove(link);
        LinkHolds held = holds.remove(link);
        if (held != null) {
            held.close();
        }
        PeerChannel<Waiting> channel = channels.down(link);
        if (channel != null) {
            channel.waiting.keySet().forEach(id -> giveUp(channel, id));
        }
    }

    /** Looks for no answers any more. */
    void close() {
        closed = true;
    }

    @Override
    public void deliver(
            String node,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher) {
        PeerChannel<Waiting> channel = channels.to(node);
        if (channel == null) {
            recorder.onGivenUp();
            taken.run();
        } else if (members.size() <= NodeMessage.MAX_MEMBERS) {
            send(channel, message, members, matching, taken, publisher);
        } else {
            sendInParts(channel, message, members, matching, taken, publisher);
        }
    }

    private void sendInParts(
            PeerChannel<Waiting> channel,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher) {
        int parts = (members.size() + NodeMessage.MAX_MEMBERS - 1) / NodeMessage.MAX_MEMBERS;
        AtomicInteger left = new AtomicInteger(parts);
        Runnable partTaken = () -> {
            if (left.decrementAndGet() == 0) {
                taken.run();
            }
        };
        for (int i = 0; i < parts; i++) {
            int from = i * NodeMessage.MAX_MEMBERS;
            List<Recipient> part = members.subList(from, Math.min(members.size(), from + NodeMessage.MAX_MEMBERS));
            send(channel, message, part, matching && i == 0, partTaken, publisher);
        }
    }

    private void send(
            PeerChannel<Waiting> channel,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher) {
        boolean acknowledged = message.qos() != QoS.AT_MOST_ONCE;
        boolean answered = acknowledged;
        long counted = 0;
        LinkHolds held = publisher == null ? null : holds.get(channel.link);
        if (publisher != null && held != null && held.isAsked()) {
            answered = true;
            counted = held.count(message.memoryBytes(), publisher);
        }
        long id = answered ? lastId.incrementAndGet() : UNNUMBERED;
        if (answered) {
            channel.waiting.put(id, new Waiting(timer.nanos(), acknowledged ? taken : null, publisher, held, counted));
        }
        boolean sent = channel.link.send(FrameBuilder.frameOf(new Transient(id, message, members, matching), format));
        if (sent) {
            recorder.onHandedOver();
        }
        // onDown may have looked before the message was put there
        if (answered && (!sent || channel != channels.of(channel.link))) {
            giveUp(channel, id);
        } else if (!sent) {
            recorder.onGivenUp();
        }
        if (!acknowledged) {
            taken.run();
        }
    }

    @Override
    public boolean deliverQos0(String clientId, long session, Queued message) {
        return owners.qos0(clientId, session, message);
    }

    @Override
    public void deliverShared(
            String node, String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        shared.deliver(node, clientId, session, message, dup, reply);
    }

    /** Another node hands something over to the receiver; on the link's event loop. */
    void take(Link link, Transient message, TransientReceiver receiver) {
        long id = message.id();
        Consumer<RoomQueue> publisher = id == UNNUMBERED ? null : room -> hasNoRoom(link, id, room);
        receiver.take(message.message(), message.members(), message.matchHere(), publisher);
        List<Long> ids = unanswered.get(link);
        if (id != UNNUMBERED && ids != null) {
            ids.add(id);
        }
    }

    private void hasNoRoom(Link link, long id, RoomQueue room) {
        LinkHolds held = holds.get(link);
        if (held != null) {
            held.hasNoRoom(id, room);
        }
    }

    /** Another node has clients for which publishers wait; on the link's event loop. */
    void onPublishersWait(Link link) {
        LinkHolds held = holds.get(link);
        if (held != null) {
            held.ask();
        }
    }

    /** A client of another node has no room; on the link's event loop. */
    void take(Link link, HoldPublisher hold) {
        LinkHolds held = holds.get(link);
        PeerChannel<Waiting> channel = channels.of(link);
        Waiting waiting = channel == null ? null : channel.waiting.get(hold.id());
        if (held != null && waiting != null && waiting.publisher != null) {
            held.hold(hold.room(), waiting.publisher);
        }
    }

    /** A client of another node has room again; on the link's event loop. */
    void take(Link link, RoomAgain again) {
        LinkHolds held = holds.get(link);
        if (held != null) {
            held.roomAgain(again.room());
        }
    }

    /** Another node has taken the messages that were handed over to it; on the link's event loop. */
    void take(Link link, Receipt taken) {
        PeerChannel<Waiting> channel = channels.of(link);
        if (channel == null) {
            return;
        }
        for (long id : taken.ids()) {
            Waiting waiting = channel.waiting.remove(id);
            if (waiting != null) {
                waiting.end();
            }
        }
    }

    /** All messages of one read were taken: answers once for them; on the link's event loop. */
    void answer(Link link) {
        List<Long> ids = unanswered.get(link);
        if (ids == null || ids.isEmpty()) {
            return;
        }
        long[] all = ids.stream().mapToLong(Long::longValue).toArray();
        ids.clear();
        link.send(FrameBuilder.frameOf(new Receipt(all), format));
    }

    private void look() {
        if (closed) {
            return;
        }
        long now = timer.nanos();
        for (PeerChannel<Waiting> channel : channels.all()) {
            channel.waiting.forEach((id, waiting) -> {
                if (now - waiting.sinceNanos >= PATIENCE.toNanos()) {
                    giveUp(channel, id);
                }
            });
        }
        holds.values().forEach(LinkHolds::sendPending);
        timer.after(LOOK_NANOS, this::look);
    }

    private void giveUp(PeerChannel<Waiting> channel, long id) {
        Waiting waiting = channel.waiting.remove(id);
        if (waiting != null) {
            recorder.onGivenUp();
            waiting.end();
        }
    }
}
