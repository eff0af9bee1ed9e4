package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.Endpoint;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Principal;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The broker's side of one connection, as far as the shard matters: what {@code broker.connection} does with its port.
 */
final class SimConnection implements Endpoint {
    /** How two sequence numbers come to share a packet identifier. */
    private static final int PACKET_IDS = 65_535;

    private static final long LONGEST_READING_MILLIS = 100;

    private final SimWorld world;
    private final SimFront front;
    private final SimClient client;
    private final long number;
    private final Connect connect;
    private final Link link;
    private final List<Reply> replies = new ArrayList<>();
    private final Set<Integer> inboundIds = new HashSet<>();
    private final ArrayDeque<Delivery> parked = new ArrayDeque<>();
    private final LinkedHashMap<Integer, InFlight> inFlight = new LinkedHashMap<>();
    private final List<Long> toSettle = new ArrayList<>();
    private final List<Long> toReceive = new ArrayList<>();
    private @Nullable Attached attached;
    private @Nullable Ending ending;
    private long offset = Long.MAX_VALUE;
    private boolean isTakenOver;
    private final long[] takenUpTo = new long[Message.HIGHEST_PRIORITY + 1];
    private final long[] sentUpTo = new long[Message.HIGHEST_PRIORITY + 1];

    /** What a client asks for when it connects. */
    record Connect(
            boolean cleanStart,
            long expirySeconds,
            int receiveMaximum,
            @Nullable Will will) {}

    /** How a connection ended. */
    private record Ending(boolean publishWill, long expirySeconds) {}

    /** An acknowledgement that keeps its place behind those of earlier packets. */
    private static final class Reply {
        private final Runnable send;
        private boolean isReady;

        private Reply(Runnable send) {
            this.send = send;
        }
    }

    private enum Phase {
        SENT,
        RECEIVED,
        RELEASED
    }

    private static final class InFlight {
        final long sequence;
        Phase phase;

        InFlight(long sequence, Phase phase) {
            this.sequence = sequence;
            this.phase = phase;
        }
    }

    /**
     * The network between the two sides: keeps the order, takes a while, and loses what is under way to a side that is
     * gone.
     */
    static final class Link {
        private final SimThread toClient;
        private final SimThread toBroker;

        Link(SimClock clock) {
            toClient = new SimThread(clock, 5);
            toBroker = new SimThread(clock, 5);
        }

        void toBroker(Runnable packet) {
            toBroker.execute(packet);
        }

        void toClient(Runnable packet) {
            toClient.execute(packet);
        }

        /** The client reads and writes no more; what it has sent may still arrive. */
        void leftByClient(boolean arrives) {
            toClient.die();
            if (!arrives) {
                toBroker.die();
            }
        }

        void cut() {
            leftByClient(false);
        }
    }

    SimConnection(SimWorld world, SimFront front, SimClient client, long number, Connect connect) {
        this.world = world;
        this.front = front;
        this.client = client;
        this.number = number;
        this.connect = connect;
        link = new Link(world.clock);
    }

    long number() {
        return number;
    }

    SimClient client() {
        return client;
    }

    Link link() {
        return link;
    }

    Connect connect() {
        return connect;
    }

    /** The log has the Attach. */
    void appended(long newOffset) {
        offset = newOffset;
    }

    @Override
    public boolean isAttachedUpTo(long upTo) {
        return offset <= upTo;
    }

    @Override
    public String clientId() {
        return client.name;
    }

    boolean isOpen() {
        return attached != null && ending == null;
    }

    @Override
    public long epoch() {
        return attached == null ? -1 : attached.epoch();
    }

    long session() {
        return attached == null ? -1 : attached.session();
    }

    ShardEvent.Attach attach() {
        return new ShardEvent.Attach(
                client.name,
                front.name(),
                number,
                connect.cleanStart,
                connect.expirySeconds,
                connect.receiveMaximum,
                client.kind,
                connect.will,
                Principal.ofUser(client.name),
                false);
    }

    // What the owner says.

    @Override
    public void refused(AttachRefusal reason) {
        if (client.isLoyal || reason != AttachRefusal.IS_SOMEBODY_ELSES) {
            throw new Violation("refused, for the session " + reason);
        }
        ending = new Ending(false, 0); // a stranger came when there was no session, and will have gone soon
        cut();
        front.forget(this);
    }

    @Override
    public void attached(Attached answer) {
        if (attached != null) {
            return;
        }
        attached = answer;
        if (ending != null) {
            detach(ending);
            return;
        }
        world.ledger.attached(this, answer);
        Arrays.stream(answer.inboundPacketIds()).forEach(inboundIds::add);
        world.routing.online(this);
        link.toClient(() -> client.connected(this, answer));
    }

    /** What the client has sent is read first, as far as it comes. */
    @Override
    public void takenOver() {
        if (isOpen() && !world.mayLoseConnectionOf(client) && isFollowedByStrangers()) {
            throw new Violation("a stranger took the connection of " + client.name + " over");
        }
        if (!isOpen()) {
            endTakenOver();
        } else if (!isTakenOver) {
            isTakenOver = true;
            link.toBroker(this::endTakenOver);
            front.after(LONGEST_READING_MILLIS, this::endTakenOver);
        }
    }

    /** Whether the log has Attaches with the client's identifier behind the one of this connection, all strangers'. */
    private boolean isFollowedByStrangers() {
        List<Boolean> followers = world.log.records(world.shardOf(client)).stream()
                .filter(record -> record.offset() > epoch())
                .map(record -> EventCodec.decode(record.value()))
                .filter(event ->
                        event instanceof ShardEvent.Attach one && one.clientId().equals(client.name))
                .map(event -> SimStranger.is((ShardEvent.Attach) event))
                .toList();
        return !followers.isEmpty() && !followers.contains(false);
    }

    private void endTakenOver() {
        end(new Ending(true, connect.expirySeconds));
        front.forget(this);
    }

    @Override
    public void deliver(List<Delivery> deliveries) {
        if (!isOpen() || isTakenOver) {
            return;
        }
        for (Delivery delivery : deliveries) {
            if (isNew(delivery)) {
                if (delivery.entry() instanceof Queued queued) {
                    takenUpTo[queued.message().priority()] = delivery.sequence();
                }
                parked.add(delivery);
            } else {
                repeatAcknowledgement(delivery.sequence());
            }
        }
        pump();
    }

    /** Of a message that only PUBREL is owed of it is not said which priority it has: it may be one that is here. */
    private boolean isNew(Delivery delivery) {
        long sequence = delivery.sequence();
        if (delivery.entry() instanceof Queued queued) {
            return sequence > takenUpTo[queued.message().priority()];
        }
        InFlight entry = inFlight.get(packetId(sequence));
        return sequence > takenUpTo[0]
                && ((entry == null || entry.sequence != sequence)
                        && parked.stream().noneMatch(waiting -> waiting.sequence() == sequence));
    }

    @Override
    public void receivedLogged(long[] sequences) {
        for (long sequence : sequences) {
            InFlight entry = inFlight.get(packetId(sequence));
            if (isOpen() && entry != null && entry.sequence == sequence && entry.phase == Phase.RECEIVED) {
                release(entry);
            }
        }
    }

    // What the client says.

    void publish(int packetId, Message message) {
        if (!isOpen()) {
            return;
        }
        boolean exactlyOnce = message.qos() == QoS.EXACTLY_ONCE;
        Reply reply = new Reply(() -> link.toClient(() -> client.acknowledged(this, packetId, exactlyOnce)));
        replies.add(reply);
        if (exactlyOnce && !inboundIds.add(packetId)) {
            ready(reply);
            return;
        }
        send(packetId, expiring(message), exactlyOnce, reply);
    }

    /** A client says for how long, and its node until when. */
    private Message expiring(Message message) {
        return message.expiresAtMillis() == Message.NEVER
                ? message
                : message.withExpiry(message.expiresAtMillis() - world.clock.nowMillis() + front.clock.millis());
    }

    private void send(int packetId, Message message, boolean exactlyOnce, Reply reply) {
        Destinations destinations = world.routing.match(message);
        world.ledger.matched(message, destinations);
        if (exactlyOnce && isRelayed()) {
            relay(packetId, message, destinations, reply);
        } else if (destinations.isEmpty()) {
            ready(reply);
        } else {
            front.publish(message, destinations.recipients(), (_, failure) -> acknowledge(message, failure, reply));
        }
    }

    /** Whether messages of QoS 2 go through the client's shard: the session lasts, or has lasted until now. */
    private boolean isRelayed() {
        return connect.expirySeconds > 0 || (attached != null && attached.sessionPresent());
    }

    private void relay(int packetId, Message message, Destinations destinations, Reply reply) {
        front.relay(
                new ShardEvent.Relay(client.name, epoch(), packetId, message, destinations),
                (_, failure) -> acknowledge(message, failure, reply));
    }

    private void acknowledge(Message message, @Nullable Throwable failure, Reply reply) {
        if (failure != null) {
            end(new Ending(true, connect.expirySeconds));
        } else {
            world.ledger.acknowledged(message);
            ready(reply);
        }
    }

    private void ready(Reply reply) {
        reply.isReady = true;
        while (!replies.isEmpty() && replies.getFirst().isReady) {
            replies.removeFirst().send.run();
        }
    }

    void pubrel(int packetId) {
        if (!isOpen()) {
            return;
        }
        inboundIds.remove(packetId);
        Runnable pubcomp = () -> link.toClient(() -> client.completed(this, packetId));
        if (isRelayed()) {
            front.append(client.name, new ShardEvent.Release(client.name, epoch(), packetId), (_, _) -> pubcomp.run());
        } else {
            pubcomp.run();
        }
    }

    void puback(int packetId) {
        InFlight entry = inFlight.get(packetId);
        if (isOpen() && entry != null) {
            finish(entry);
        }
    }

    void pubrec(int packetId) {
        InFlight entry = inFlight.get(packetId);
        if (!isOpen() || entry == null) {
            return;
        }
        if (entry.phase == Phase.SENT) {
            entry.phase = Phase.RECEIVED;
            tellOwner(toReceive, entry.sequence);
        } else if (entry.phase == Phase.RELEASED) {
            link.toClient(() -> client.released(this, packetId));
        }
    }

    void pubcomp(int packetId) {
        InFlight entry = inFlight.get(packetId);
        if (isOpen() && entry != null && entry.phase == Phase.RELEASED) {
            finish(entry);
        }
    }

    void disconnect(boolean publishWill, long expirySeconds) {
        end(new Ending(publishWill, expirySeconds));
    }

    /** The connection is gone, as the broker notices at last. */
    void lost() {
        end(new Ending(true, connect.expirySeconds));
    }

    /** The process is gone. */
    void die() {
        ending = new Ending(true, connect.expirySeconds);
        cut();
    }

    private void end(Ending how) {
        if (ending != null) {
            return;
        }
        tellOwner();
        ending = how;
        if (attached != null) {
            detach(how);
        }
        cut();
    }

    private void cut() {
        link.cut();
        world.routing.offline(this);
        world.clock.after(0, () -> client.connectionLost(this));
    }

    private void detach(Ending how) {
        front.detach(
                new ShardEvent.Detach(client.name, epoch(), how.publishWill, how.expirySeconds, SentUpTo.of(sentUpTo)));
        front.forget(this);
    }

    private void pump() {
        while (!parked.isEmpty() && admits(first().sequence())) {
            Delivery next = first();
            parked.remove(next);
            send(next);
        }
    }

    /** The first of the highest priority. */
    private Delivery first() {
        Delivery first = parked.getFirst();
        for (Delivery other : parked) {
            first = other.entry().priority() > first.entry().priority() ? other : first;
        }
        return first;
    }

    private boolean admits(long sequence) {
        return inFlight.isEmpty()
                || (inFlight.size() < connect.receiveMaximum
                        && inFlight.values().stream()
                                .allMatch(other -> Math.abs(sequence - other.sequence) < PACKET_IDS));
    }

    private void send(Delivery delivery) {
        long sequence = delivery.sequence();
        if (delivery.entry() instanceof Queued queued) {
            boolean isExpired = !delivery.dup() && queued.message().isExpiredAt(front.clock.millis());
            if (isExpired) {
                tellOwner(toSettle, sequence);
                return;
            }
            world.ledger.sent(this, delivery, queued);
            sentUpTo[queued.message().priority()] = sequence;
            inFlight.put(packetId(sequence), new InFlight(sequence, Phase.SENT));
            boolean exactlyOnce = queued.qos() == QoS.EXACTLY_ONCE;
            link.toClient(() -> client.received(this, packetId(sequence), queued.message(), exactlyOnce));
        } else if (delivery.entry() instanceof Released) {
            InFlight entry = new InFlight(sequence, Phase.RECEIVED);
            inFlight.put(packetId(sequence), entry);
            release(entry);
        }
    }

    private void release(InFlight entry) {
        entry.phase = Phase.RELEASED;
        world.ledger.released(this, entry.sequence);
        link.toClient(() -> client.released(this, packetId(entry.sequence)));
    }

    private void finish(InFlight entry) {
        inFlight.remove(packetId(entry.sequence));
        tellOwner(toSettle, entry.sequence);
        pump();
    }

    private void repeatAcknowledgement(long sequence) {
        InFlight entry = inFlight.get(packetId(sequence));
        if (parked.stream().anyMatch(delivery -> delivery.sequence() == sequence)) {
            return;
        }
        if (entry == null || entry.sequence != sequence) {
            tellOwner(toSettle, sequence);
        } else if (entry.phase == Phase.RECEIVED) {
            tellOwner(toReceive, sequence);
        }
    }

    private void tellOwner(List<Long> batch, long sequence) {
        if (toSettle.isEmpty() && toReceive.isEmpty()) {
            world.clock.after(world.clock.between(0, 3), this::tellOwner);
        }
        batch.add(sequence);
    }

    private void tellOwner() {
        if (!isOpen()) {
            return;
        }
        long[] received = take(toReceive);
        long[] settled = take(toSettle);
        long epoch = epoch();
        front.ask(client.name, (node, driver) -> {
            if (received.length > 0) {
                node.thread.execute(() -> driver.serve(service -> service.received(client.name, epoch, received)));
            }
            if (settled.length > 0) {
                node.thread.execute(() -> driver.serve(service -> service.settle(client.name, epoch, settled)));
            }
        });
    }

    private static long[] take(List<Long> batch) {
        long[] taken = batch.stream().mapToLong(Long::longValue).toArray();
        batch.clear();
        return taken;
    }

    private static int packetId(long sequence) {
        return (int) ((sequence - 1) % PACKET_IDS) + 1;
    }
}
