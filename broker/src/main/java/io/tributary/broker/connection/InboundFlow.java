package io.tributary.broker.connection;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;

import io.tributary.broker.connection.AckQueue.Slot;
import io.tributary.broker.connection.InboundPacketIds.State;
import io.tributary.broker.routing.Publisher;
import io.tributary.broker.routing.RouteCallback;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.broker.routing.RouteOutcome.Lost;
import io.tributary.broker.routing.RouteOutcome.NoSubscribers;
import io.tributary.broker.routing.RouteOutcome.Refused;
import io.tributary.broker.routing.RouteOutcome.Safe;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.thread.RoomQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a client publishes: takes PUBLISH and PUBREL packets, has the messages routed, and acknowledges
 * them in the order in which they came, each when it is safe. Confined to the event loop; the router may answer on any
 * thread.
 */
final class InboundFlow {
    // Lives with the session.
    private final InboundPacketIds ids;

    // Lives with the connection.
    private final ConnectionContext context;
    private final Replies replies;
    private final Identity identity;
    private Publisher publisher;
    private final boolean mqtt5;
    private final InboundLimits limits;
    private final InboundTopicAliases aliases;
    private final PublishRate rate;
    private final @Nullable TenantPace tenantPace;
    /** Takes a PUBLISH that waited for its tenant's rate, as one that has just come. */
    private final Consumer<Publish> takeAgain;
    /** Whether the PUBLISH that is taken now has waited for its tenant's rate, and so is counted. */
    private boolean hasWaited;

    private final AckQueue published = new AckQueue(this::acknowledge);
    private final AckQueue released = new AckQueue(this::complete);
    private final int mostOwed;
    private int openQos1;
    private Runnable stopWaiting = () -> {};
    /** Written on the event loop. */
    private volatile boolean isClosed;

    private boolean isTakenOver;
    /** Null until there was one. */
    private @Nullable SlowSubscribers slowSubscribers;
    /** Has this client wait; any thread. */
    private final Consumer<RoomQueue> waiting;

    /** For messages of QoS 0, whose outcome nobody is told. */
    private final RouteCallback unacknowledged = new Routing() {
        @Override
        public void onRouted(RouteOutcome outcome) {}
    };

    InboundFlow(ConnectionContext context, Identity identity, Replies replies, Consumer<Publish> takeAgain) {
        this.context = context;
        this.takeAgain = takeAgain;
        this.replies = replies;
        this.identity = identity;
        publisher = identity.publisher();
        mqtt5 = identity.client().isMqtt5();
        waiting = room -> context.run(() -> hold(room));
        limits = context.limits().inbound();
        aliases = new InboundTopicAliases(mqtt5 ? limits.topicAliasMaximum() : 0, identity.tenant());
        ids = new InboundPacketIds(identity.attached().inboundPacketIds());
        rate = new PublishRate(context, limits.rate());
        tenantPace = identity.quota() == null ? null : new TenantPace(context, identity.quota());
        mostOwed = mqtt5 ? 2 * limits.receiveMaximum() : limits.maxUnacknowledged();
    }

    /** Something else is known of the client than before. */
    void renewed() {
        publisher = identity.publisher();
    }

    /**
     * Takes a PUBLISH.
     *
     * @throws MqttException when the client breaks MQTT's rules or a limit for which it is disconnected
     */
    void publish(Publish packet) {
        Message message = message(aliases.resolve(packet), packet);
        if (hasWaited || !waitsForTenant(message, packet)) {
            hasWaited = false;
            publish(message, packet.packetId());
        }
    }

    /** Counts the message, or has it wait while its tenant's clients publish too fast. */
    private boolean waitsForTenant(Message message, Publish packet) {
        rate.count();
        if (tenantPace == null) {
            return false;
        }
        long bytes = message.sizeBytes();
        long waitNanos = tenantPace.count(bytes);
        if (waitNanos == 0) {
            return false;
        }
        tenantPace.await(waitNanos, bytes, () -> {
            hasWaited = true;
            takeAgain.accept(packet);
        });
        return true;
    }

    private void publish(Message message, int packetId) {
        switch (message.qos()) {
            case AT_MOST_ONCE -> publishQos0(message);
            case AT_LEAST_ONCE -> publishQos1(message, packetId);
            case EXACTLY_ONCE -> publishQos2(message, packetId);
        }
        pauseWhenBehind();
    }

    /**
     * Takes a PUBREL.
     *
     * @throws MqttException when the PUBREC that it answers is not out yet
     */
    void pubrel(Pubrel packet) {
        int packetId = packet.packetId();
        switch (ids.get(packetId)) {
            case null -> release(packetId).fill(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND, null);
            case ROUTING -> throw new MqttException(ReasonCode.PROTOCOL_ERROR, "PUBREL before PUBREC");
            case RECEIVED -> {
                if (!isTakenOver) {
                    releaseReceived(packetId);
                }
            }
            case RELEASING -> {} // its PUBCOMP is on the way
        }
        pauseWhenBehind();
    }

    /** Messages were sent to this client. */
    void sent() {
        if (slowSubscribers != null) {
            slowSubscribers.sent();
        }
    }

    /**
     * Another connection has the session, and what is released here would come too late for it: it would
     * take a new message under the same packet identifier for a repetition. The client releases again there
     * [MQTT-4.4.0-1].
     */
    void takenOver() {
        isTakenOver = true;
    }

    /** The connection ended: nothing is waited for any more. */
    void close() {
        isClosed = true;
        stopWaiting.run();
        if (tenantPace != null) {
            tenantPace.stop();
        }
        if (slowSubscribers != null) {
            slowSubscribers.stop();
        }
    }

    private Message message(String topic, Publish packet) {
        long expirySeconds = packet.messageExpirySeconds();
        long expiresAt = expirySeconds == ABSENT ? Message.NEVER : context.timeMillis() + expirySeconds * 1_000;
        return new Message(
                topic,
                packet.payload(),
                packet.qos(),
                packet.retain(),
                packet.properties(),
                expiresAt,
                publisher.clientId());
    }

    private void publishQos0(Message message) {
        if (isAsDeclared(message)) {
            context.backend().router().publish(publisher, message, 0, unacknowledged);
        }
    }

    private void publishQos1(Message message, int packetId) {
        checkReceiveMaximum();
        openQos1++;
        route(message, 0, published.reserve(packetId, QoS.AT_LEAST_ONCE, sinceNanos()));
    }

    private void publishQos2(Message message, int packetId) {
        switch (ids.get(packetId)) {
            case null -> {
                checkReceiveMaximum();
                checkUnreleased();
                ids.put(packetId, State.ROUTING);
                route(message, packetId, published.reserve(packetId, QoS.EXACTLY_ONCE, sinceNanos()));
            }
            case ROUTING -> {} // its PUBREC is on the way
            case RECEIVED -> // not routed again [MQTT-4.3.3-10]
                published.reserveForRepetition(packetId).fill(ReasonCode.SUCCESS, null);
            case RELEASING -> published.reserveForRepetition(packetId).fill(ReasonCode.PACKET_IDENTIFIER_IN_USE, null);
        }
    }

    /** The time, for one packet of some. */
    private long sinceNanos() {
        return ThreadLocalRandom.current().nextInt(ClientRecorder.SAMPLE) == 0 ? context.nanoTime() : 0;
    }

    private void route(Message message, int packetId, Slot slot) {
        if (isAsDeclared(message)) {
            context.backend().router().publish(publisher, message, packetId, new Routing() {
                @Override
                public void onRouted(RouteOutcome outcome) {
                    context.run(() -> routed(slot, outcome));
                }
            });
        } else {
            routed(slot, new Refused(ReasonCode.PAYLOAD_FORMAT_INVALID, "payload is not UTF-8"));
        }
    }

    /** A message on its way. */
    private abstract class Routing implements RouteCallback {
        @Override
        public final Consumer<RoomQueue> publisher() {
            return waiting;
        }

        @Override
        public final boolean isAwaited() {
            return !isClosed;
        }
    }

    private void hold(RoomQueue room) {
        if (isClosed) {
            return;
        }
        if (slowSubscribers == null) {
            slowSubscribers = new SlowSubscribers(context);
        }
        slowSubscribers.await(room);
    }

    private boolean isAsDeclared(Message message) {
        boolean isAsDeclared = !limits.checkPayloadFormat() || Payloads.isAsDeclared(message);
        if (!isAsDeclared) {
            context.services().recorder().dropped(DropReason.PAYLOAD_FORMAT_INVALID);
        }
        return isAsDeclared;
    }

    private void routed(Slot slot, RouteOutcome outcome) {
        switch (outcome) {
            case Safe() -> slot.fill(ReasonCode.SUCCESS, null);
            case NoSubscribers() -> slot.fill(mqtt5 ? ReasonCode.NO_MATCHING_SUBSCRIBERS : ReasonCode.SUCCESS, null);
            // MQTT 3 cannot say so: the message goes nowhere and is acknowledged.
            case Refused(ReasonCode reason, String words) -> slot.fill(mqtt5 ? reason : ReasonCode.SUCCESS, words);
            case Lost() -> throw lost();
        }
    }

    private void acknowledge(Slot slot, ReasonCode reason) {
        if (slot.qos() == QoS.AT_LEAST_ONCE) {
            openQos1--;
            replies.puback(slot.packetId(), reason, slot.words());
        } else if (slot.isOfRepetition()) {
            acknowledgeRepetition(slot.packetId(), reason);
        } else {
            routingEnds(slot.packetId(), reason);
            replies.pubrec(slot.packetId(), reason, slot.words());
        }
        if (slot.sinceNanos() != 0) {
            context.services().recorder().acknowledged(slot.qos(), context.nanoTime() - slot.sinceNanos());
        }
        resumeWhenCaughtUp();
    }

    /**
     * Answers a repeated PUBLISH, unless its client has gone on: the answer would be taken for the one of a new message
     * under the same packet identifier, which may not be safe yet [MQTT-4.3.3-12].
     */
    private void acknowledgeRepetition(int packetId, ReasonCode reason) {
        State state = ids.get(packetId);
        if (reason.isError() ? state != State.ROUTING : state == State.RECEIVED) {
            replies.pubrec(packetId, reason, null);
        }
    }

    /** The answer to the first PUBLISH counts; an error in it ends the exchange [MQTT-4.3.3-9]. */
    private void routingEnds(int packetId, ReasonCode reason) {
        if (reason.isError()) {
            ids.free(packetId);
        } else {
            ids.put(packetId, State.RECEIVED);
        }
    }

    private Slot release(int packetId) {
        return released.reserve(packetId, QoS.EXACTLY_ONCE);
    }

    private void releaseReceived(int packetId) {
        ids.put(packetId, State.RELEASING);
        Slot slot = release(packetId);
        if (publisher.persistent()) {
            ShardEvent.Release release = new ShardEvent.Release(publisher.clientId(), publisher.epoch(), packetId);
            context.backend().shards().release(release, (offset, failure) -> context.run(() -> logged(slot, failure)));
        } else {
            slot.fill(ReasonCode.SUCCESS, null);
        }
    }

    private static void logged(Slot slot, @Nullable Throwable failure) {
        if (failure != null) {
            throw lost();
        }
        slot.fill(ReasonCode.SUCCESS, null);
    }

    private void complete(Slot slot, ReasonCode reason) {
        if (reason == ReasonCode.SUCCESS) {
            ids.free(slot.packetId());
        }
        replies.pubcomp(slot.packetId(), reason);
        resumeWhenCaughtUp();
    }

    private void checkReceiveMaximum() {
        if (mqtt5 && openQos1 + ids.openedHere() >= limits.receiveMaximum()) {
            throw new MqttException( // [MQTT-3.3.4-7]
                    ReasonCode.RECEIVE_MAXIMUM_EXCEEDED, "more than " + limits.receiveMaximum() + " open messages");
        }
    }

    /** The QoS 2 messages that a session leaves open over many connections are limited, too. */
    private void checkUnreleased() {
        int most = mqtt5 ? 2 * limits.receiveMaximum() : limits.maxUnreleased();
        if (ids.size() >= most) {
            throw new MqttException(ReasonCode.QUOTA_EXCEEDED, "more than " + most + " messages without PUBREL");
        }
    }

    /**
     * Reads no more while too many answers are owed: a repeated PUBLISH needs one as well, and no window limits
     * repetitions.
     */
    private void pauseWhenBehind() {
        if (published.size() + released.size() >= mostOwed) {
            context.gate().close(PauseReason.UNACKNOWLEDGED);
        }
        if (context.backend().shards().isCongested() && context.gate().close(PauseReason.CONGESTED)) {
            stopWaiting = context.backend()
                    .room()
                    .await(() -> context.run(() -> context.gate().open(PauseReason.CONGESTED)));
        }
    }

    private void resumeWhenCaughtUp() {
        if (published.size() + released.size() <= mostOwed / 2) {
            context.gate().open(PauseReason.UNACKNOWLEDGED);
        }
    }

    private static MqttException lost() {
        return new MqttException(ReasonCode.SERVER_SHUTTING_DOWN, "the broker cannot take messages any more");
    }
}
