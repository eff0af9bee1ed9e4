package io.tributary.broker.connection;

import io.tributary.broker.connection.InFlightWindow.Entry;
import io.tributary.broker.connection.InFlightWindow.Phase;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages on their way to a client: sends them within the client's window and while the connection takes them, and
 * follows them until they are acknowledged. Confined to the event loop.
 *
 * <p>The QoS 1 and 2 messages of a persistent session come from its shard, numbered, and what the client acknowledges
 * goes back there; the shard's owner bounds how many are here. Messages of a transient session come from the router,
 * wait in a bounded queue and are numbered as they are sent. Messages of QoS 0 wait in a bounded queue in either kind
 * of session.
 *
 * <p>A message that an application gets as a member of shared subscriptions has no number either: it goes back to the
 * group host when the connection ends before the client has acknowledged it.
 */
final class OutboundFlow {
    private static final int MOST_SHARED = 16_384;
    private static final String PUBREC_FOR_QOS_1 = "PUBREC for a QoS 1 message";

    private final ConnectionContext context;
    private final boolean persistent;
    private final Replies replies;
    private final Runnable onSent;
    private final MessageWriter writer;
    private final InFlightWindow inFlight;
    private final SettleBatch acknowledged;
    private final OutboundQueue qos0;

    /** Numbered messages that wait for the window: only in a persistent session. */
    private final ParkedDeliveries parked = new ParkedDeliveries();

    /** QoS 1 and 2 messages that wait for a number: only in a transient session. */
    private final OutboundQueue unnumbered;

    /** Messages of shared subscriptions of applications that wait for the window. */
    private final ArrayDeque<Shared> shared = new ArrayDeque<>(0);

    /** Whether the last message sent was such a one, so that a message of another kind is next. */
    private boolean sharedWasLast;

    /** The highest sequence number that left {@link #parked}, or was given out. */
    private long maybeSentUpTo;

    /** A message of a shared subscription of applications, and the group host's callback for its outcome. */
    private record Shared(Queued message, boolean dup, MemberReply reply) {}

    /**
     * Creates one.
     *
     * @param hold counts what waits here; null where no publisher waits for the client
     * @param onSent run when messages may have been sent
     */
    OutboundFlow(
            ConnectionContext context,
            Identity identity,
            ConnectProperties client,
            Replies replies,
            @Nullable PublisherHold hold,
            Runnable onSent) {
        this.context = context;
        this.replies = replies;
        this.onSent = onSent;
        persistent = identity.persistent();
        OutboundLimits limits = context.limits().outbound();
        writer = new MessageWriter(context, identity, client);
        inFlight = new InFlightWindow(window(client, context.limits()), limits.queueBytes(), context);
        acknowledged = new SettleBatch(context, identity);
        qos0 = new OutboundQueue(limits, context.services().recorder(), hold);
        unnumbered = new OutboundQueue(limits, context.services().recorder(), hold);
    }

    /** How many unacknowledged messages a client is sent at once [MQTT-3.3.4-9]. */
    static int window(ConnectProperties client, ClientLimits limits) {
        return Math.min(client.receiveMaximum(), limits.outbound().maxInFlight());
    }

    /** Takes entries of the session's queue; entries that were here before are not sent again. */
    void deliver(List<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            if (isNew(delivery)) {
                parked.add(delivery);
            } else {
                repeatAcknowledgement(delivery);
            }
        }
        pump();
    }

    private boolean isNew(Delivery delivery) {
        if (parked.hasTaken(delivery)) {
            return false;
        }
        return switch (delivery.entry()) {
            case Queued _ -> true;
            case Released() -> // it may have come as a message, among those of a higher priority
                inFlight.find(delivery.sequence()) == null && !parked.isWaiting(delivery);
        };
    }

    /** Takes a message without a sequence number. */
    void offer(Queued message) {
        boolean isAcknowledged = message.qos().isAcknowledged();
        assert !isAcknowledged || !persistent : "comes through the log";
        OutboundQueue queue = isAcknowledged ? unnumbered : qos0;
        if (queue.letsPass() && isNothingAcknowledgedWaiting() && hasRoom(message.qos())) {
            sendAtOnce(message);
        } else {
            queue.add(message);
            pump();
        }
    }

    private void sendAtOnce(Queued message) {
        if (message.qos().isAcknowledged()) {
            sharedWasLast = false;
            maybeSentUpTo++;
            send(maybeSentUpTo, message, false);
        } else {
            writer.write(message, 0, false);
        }
        onSent.run();
    }

    /** Whether no message of QoS 1 or 2 waits; they go first. */
    private boolean isNothingAcknowledgedWaiting() {
        return parked.isEmpty() && unnumbered.isEmpty() && shared.isEmpty();
    }

    /**
     * Takes a message of a shared subscription of applications; gives it back at once when too many wait, as after
     * several changes of the group's host.
     */
    void share(Queued message, boolean dup, MemberReply reply) {
        if (shared.size() >= MOST_SHARED) {
            reply.returned(false);
            return;
        }
        shared.add(new Shared(message, dup, reply));
        pump();
    }

    /** Whether a message of that quality would be sent at once. */
    boolean hasRoom(QoS qos) {
        if (!context.sink().isWritable()) {
            return false;
        }
        return qos.isAcknowledged()
                ? isNothingAcknowledgedWaiting() && inFlight.admits(maybeSentUpTo + 1)
                : qos0.isEmpty();
    }

    /** Takes a PUBACK; one for nothing in flight does no harm. */
    void puback(Puback packet) {
        Entry entry = inFlight.get(packet.packetId());
        if (entry == null) {
            if (endShared(packet.packetId())) {
                pump();
            }
            return;
        }
        if (!isSent(entry, QoS.AT_LEAST_ONCE)) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "PUBACK for a QoS 2 message");
        }
        finish(entry); // also with an error: the message goes to no other client [MQTT-4.8.2-6]
    }

    /** Takes a PUBREC; one for nothing in flight is answered so that the client can forget it. */
    void pubrec(Pubrec packet) {
        Entry entry = inFlight.get(packet.packetId());
        if (entry == null && inFlight.isLent(packet.packetId())) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, PUBREC_FOR_QOS_1);
        }
        if (entry == null) {
            if (!packet.reason().isError()) { // [MQTT-4.3.3-4]
                replies.pubrel(packet.packetId(), ReasonCode.PACKET_IDENTIFIER_NOT_FOUND);
            }
            return;
        }
        switch (entry.phase()) {
            case SENT -> receive(entry, packet.reason());
            case RECEIVED -> {} // its PUBREL is on the way
            case RELEASED -> replies.pubrel(packet.packetId(), ReasonCode.SUCCESS);
        }
    }

    /** Takes a PUBCOMP; one for nothing in flight does no harm. */
    void pubcomp(Pubcomp packet) {
        Entry entry = inFlight.get(packet.packetId());
        if (entry == null && !inFlight.isLent(packet.packetId())) {
            return;
        }
        if (entry == null || entry.phase() != Phase.RELEASED) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "PUBCOMP without a PUBREL before it");
        }
        finish(entry);
    }

    /** The PUBRECs of these messages are logged: once PUBREL is out, nothing sends them again. */
    void receivedLogged(long[] sequences) {
        for (long sequence : sequences) {
            Entry entry = inFlight.find(sequence);
            if (entry != null && entry.phase() == Phase.RECEIVED) {
                release(entry);
            }
        }
    }

    /** Sends what may be sent. */
    void pump() {
        while (context.sink().isWritable() && (sharedWasLast ? sendOwn() || sendShared() : sendShared() || sendOwn())) {
            // one of each in turn
        }
        while (context.sink().isWritable()) {
            Queued next = qos0.poll();
            if (next == null) {
                break;
            }
            writer.write(next, 0, false);
        }
        onSent.run();
    }

    /**
     * Tells the owner the last acknowledgements, and forgets everything.
     *
     * @return messages of shared subscriptions that the client was not sent, in the order of sending
     */
    List<Queued> close() {
        acknowledged.send();
        List<Queued> left = new ArrayList<>();
        for (Entry entry : inFlight.entries()) {
            Queued shared = entry.shared();
            if (shared != null) {
                left.add(shared);
            }
        }
        for (Queued message = unnumbered.poll(); message != null; message = unnumbered.poll()) {
            if (message.group() != null) {
                left.add(message);
            }
        }
        inFlight.lent().forEach(reply -> reply.returned(true));
        inFlight.clear();
        parked.clear();
        shared.forEach(waiting -> waiting.reply().returned(false));
        shared.clear();
        return left;
    }

    /** What of the queue of a persistent session was written to the client. */
    SentUpTo sentUpTo() {
        return parked.sentUpTo();
    }

    private boolean sendOwn() {
        Delivery next = inFlight.admits(upcoming()) ? next() : null;
        if (next == null) {
            return false;
        }
        sharedWasLast = false;
        send(next);
        return true;
    }

    private boolean sendShared() {
        if (shared.isEmpty() || !inFlight.hasRoom()) {
            return false;
        }
        sharedWasLast = true;
        Shared next = shared.remove();
        boolean isAcknowledged = next.message().qos().isAcknowledged();
        int packetId = isAcknowledged ? inFlight.lend(lastBeforeParked(), next.reply()) : 0;
        boolean written = writer.write(next.message(), packetId, isAcknowledged && next.dup());
        if (!isAcknowledged) {
            next.reply().done();
        } else if (!written) {
            endShared(packetId);
        }
        return true;
    }

    /** Tells whether the packet identifier was one of a message of a shared subscription. */
    private boolean endShared(int packetId) {
        MemberReply reply = inFlight.takeBack(packetId);
        if (reply != null) {
            reply.done();
        }
        return reply != null;
    }

    /** What is still to be sent has sequence numbers above it. */
    private long lastBeforeParked() {
        return parked.isEmpty() ? maybeSentUpTo : parked.lowest() - 1;
    }

    private long upcoming() {
        Delivery first = parked.peek();
        return first == null ? maybeSentUpTo + 1 : first.sequence();
    }

    private @Nullable Delivery next() {
        Delivery next = persistent ? parked.poll() : number(unnumbered.poll());
        if (next != null) {
            maybeSentUpTo = Math.max(maybeSentUpTo, next.sequence());
        }
        return next;
    }

    private @Nullable Delivery number(@Nullable Queued message) {
        return message == null ? null : new Delivery(maybeSentUpTo + 1, message, false);
    }

    private void send(Delivery delivery) {
        switch (delivery.entry()) {
            case Queued message -> send(delivery.sequence(), message, delivery.dup());
            case Released() -> {
                inFlight.addReleased(delivery.sequence());
                replies.pubrel(PacketIds.of(delivery.sequence()), ReasonCode.SUCCESS);
            }
        }
    }

    private void send(long sequence, Queued message, boolean dup) {
        boolean isAcknowledged = message.qos().isAcknowledged();
        boolean written = writer.write(message, isAcknowledged ? PacketIds.of(sequence) : 0, isAcknowledged && dup);
        if (written && persistent) {
            parked.sent(sequence, message.message().priority());
        }
        if (written && isAcknowledged) {
            inFlight.add(sequence, message);
        } else {
            acknowledged.settle(sequence);
        }
    }

    private void receive(Entry entry, ReasonCode reason) {
        if (!isSent(entry, QoS.EXACTLY_ONCE)) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, PUBREC_FOR_QOS_1);
        }
        if (reason.isError()) {
            finish(entry); // no PUBREL [MQTT-4.3.3-4], and a place in the window [MQTT-4.9.0-2]
        } else if (persistent) {
            entry.advance(Phase.RECEIVED);
            acknowledged.received(entry.sequence());
        } else {
            release(entry);
        }
    }

    private void release(Entry entry) {
        entry.advance(Phase.RELEASED);
        replies.pubrel(PacketIds.of(entry.sequence()), ReasonCode.SUCCESS);
    }

    private void finish(Entry entry) {
        inFlight.remove(entry);
        acknowledged.settle(entry.sequence());
        pump();
    }

    /** Repeats an acknowledgement for a new owner, which does not know yet what the old owner was told. */
    private void repeatAcknowledgement(Delivery delivery) {
        long sequence = delivery.sequence();
        Entry entry = inFlight.find(sequence);
        if (entry == null) {
            if (!parked.isWaiting(delivery)) {
                acknowledged.settle(sequence);
            }
        } else if (entry.phase() == Phase.RECEIVED) {
            switch (delivery.entry()) {
                case Queued _ -> acknowledged.received(sequence);
                case Released() -> release(entry);
            }
        }
    }

    private static boolean isSent(Entry entry, QoS qos) {
        return entry.phase() == Phase.SENT && entry.qos() == qos;
    }
}
