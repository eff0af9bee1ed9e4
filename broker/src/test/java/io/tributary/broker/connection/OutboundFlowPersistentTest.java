package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.delivery;
import static io.tributary.broker.connection.ConnectionFixture.expiring;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static io.tributary.broker.connection.ConnectionFixture.text;
import static io.tributary.broker.connection.ConnectionFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.FakeBackend.Acknowledged;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutboundFlowPersistentTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test // [MQTT-2.2.1-4]
    void derivesPacketIdentifierFromSequenceNumber() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE));
        fixture.send(puback(1));
        fixture.deliver(delivery(65_535, QoS.AT_LEAST_ONCE), delivery(65_536, QoS.EXACTLY_ONCE));

        assertThat(fixture.sink.take(Publish.class))
                .extracting(Publish::packetId)
                .containsExactly(1, 65_535, 1);
    }

    @Test // [MQTT-3.3.1-1]
    void setsDupOnlyWhenShardSaysSo() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(new Delivery(1, queued("a", QoS.AT_LEAST_ONCE), true), delivery(2, QoS.AT_LEAST_ONCE));

        assertThat(fixture.sink.take(Publish.class)).extracting(Publish::dup).containsExactly(true, false);
    }

    @Test
    void settlesOnceATurnWhenClientAcknowledges() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.AT_LEAST_ONCE));

        fixture.connection().handle(puback(2));
        fixture.connection().handle(puback(1));
        fixture.turn();

        Acknowledged settled = fixture.backend.settled.getFirst();
        assertThat(fixture.backend.settled).hasSize(1);
        assertThat(settled.clientId()).isEqualTo("c");
        assertThat(settled.epoch()).isEqualTo(101);
        assertThat(settled.sequences()).containsExactly(2, 1);
        assertThat(fixture.recorder.inFlight).isZero();
    }

    @Test // [MQTT-3.3.4-9]
    void keepsWithinReceiveMaximumOfClient() {
        fixture.connect(Connects.v5().durable().receiveMaximum(2));

        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.EXACTLY_ONCE), delivery(3, QoS.AT_LEAST_ONCE));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m1", "m2");
        fixture.send(puback(1));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m3");
    }

    @Test // [MQTT-4.9.0-2]
    void countsQos2MessageAgainstReceiveMaximumUntilPubcomp() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(delivery(1, QoS.EXACTLY_ONCE), delivery(2, QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.send(pubrec(1, ReasonCode.SUCCESS));
        fixture.backend.connections.receivedLogged(fixture.connectionNumber(), new long[] {1});
        fixture.turn();
        fixture.sink.takeOnly(Pubrel.class);
        fixture.send(pubcomp(1));

        assertThat(text(fixture.sink.takeOnly(Publish.class))).isEqualTo("m2");
    }

    @Test // [MQTT-4.9.0-2, MQTT-4.3.3-4]
    void givesPlaceBackWhenPubrecHasError() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(delivery(1, QoS.EXACTLY_ONCE), delivery(2, QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.send(pubrec(1, ReasonCode.UNSPECIFIED_ERROR));

        assertThat(text(fixture.sink.takeOnly(Publish.class))).isEqualTo("m2");
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.backend.received).isEmpty();
    }

    @Test // [MQTT-4.3.3-4, MQTT-4.3.3-7]
    void sendsPubrelWhenPubrecIsLogged() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(3, QoS.EXACTLY_ONCE));
        fixture.sink.take();

        fixture.send(pubrec(3, ReasonCode.SUCCESS));
        fixture.send(pubrec(3, ReasonCode.SUCCESS));
        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.received).hasSize(1);
        assertThat(fixture.backend.received.getFirst().sequences()).containsExactly(3);
        fixture.backend.connections.receivedLogged(fixture.connectionNumber(), new long[] {3});
        fixture.turn();
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(3);
        fixture.send(pubcomp(3));

        assertThat(fixture.backend.settledSequences()).containsExactly(3);
    }

    @Test // [MQTT-4.3.3-6]
    void sendsOnlyPubrelWhenMessageWasReceivedBefore() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(new Delivery(4, new Released(), true));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(4);
        fixture.send(pubcomp(4));

        assertThat(fixture.backend.settledSequences()).containsExactly(4);
    }

    @Test
    void repeatsPubrelWhenPubrecIsRepeated() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(new Delivery(4, new Released(), true));

        fixture.send(pubrec(4, ReasonCode.SUCCESS));

        assertThat(fixture.sink.take(Pubrel.class)).hasSize(2);
    }

    @Test
    void answersPubrecWhenPacketIdentifierIsUnknown() {
        fixture.connect(Connects.v5().durable());

        fixture.send(pubrec(4, ReasonCode.SUCCESS));

        assertThat(fixture.sink.takeOnly(Pubrel.class).reason()).isEqualTo(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND);
    }

    @Test
    void ignoresAcknowledgementsWhenPacketIdentifierIsUnknown() {
        fixture.connect(Connects.v5().durable());

        fixture.send(puback(9));
        fixture.send(pubcomp(9));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isFalse();
    }

    @Test // [MQTT-4.3.3-4]
    void sendsNoPubrelWhenPubrecWithErrorHasUnknownPacketIdentifier() {
        fixture.connect(Connects.v5().durable());

        fixture.send(pubrec(4, ReasonCode.PACKET_IDENTIFIER_IN_USE));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isFalse();
    }

    @Test // section 4.13.1
    void disconnectsWhenQos1MessageGetsPubcomp() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.send(pubcomp(1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test // section 4.13.1
    void disconnectsWhenPubcompComesInPlaceOfPubrec() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.EXACTLY_ONCE));
        fixture.sink.take();

        fixture.send(pubcomp(1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test // section 4.13.1
    void disconnectsWhenPubcompComesBeforePubrel() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.EXACTLY_ONCE));
        fixture.send(pubrec(1, ReasonCode.SUCCESS));
        fixture.sink.take();

        fixture.send(pubcomp(1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void disconnectsWhenQos2MessageGetsPuback() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.EXACTLY_ONCE));
        fixture.sink.take();

        fixture.send(puback(1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void disconnectsWhenQos1MessageGetsPubrec() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.send(pubrec(1, ReasonCode.SUCCESS));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void sendsNothingAgainWhenNewOwnerRepeatsDeliveries() {
        fixture.connect(Connects.v5().durable().receiveMaximum(2));
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.EXACTLY_ONCE), delivery(3, QoS.AT_LEAST_ONCE));
        fixture.sink.take();

        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.EXACTLY_ONCE), delivery(3, QoS.AT_LEAST_ONCE));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settled).isEmpty();
    }

    @Test
    void repeatsAcknowledgementsWhenNewOwnerDoesNotKnowThem() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.EXACTLY_ONCE));
        fixture.send(puback(1));
        fixture.send(pubrec(2, ReasonCode.SUCCESS));
        fixture.sink.take();
        fixture.backend.settled.clear();
        fixture.backend.received.clear();

        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.EXACTLY_ONCE));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.backend.received.getFirst().sequences()).containsExactly(2);
    }

    @Test
    void sendsPubrelWhenNewOwnerKnowsOfPubrec() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(2, QoS.EXACTLY_ONCE));
        fixture.send(pubrec(2, ReasonCode.SUCCESS));
        fixture.sink.take();

        fixture.deliver(new Delivery(2, new Released(), true));

        fixture.sink.takeOnly(Pubrel.class);
    }

    @Test // [MQTT-3.3.2-5]
    void dropsMessageWhenItExpiredBeforeItWasSent() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(
                new Delivery(1, queued(expiring("late", QoS.AT_LEAST_ONCE, ConnectionFixture.NOW)), false),
                delivery(2, QoS.AT_LEAST_ONCE));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m2");
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.recorder.dropped).containsExactly(DropReason.EXPIRED);
        assertThat(fixture.recorder.deadlinesMissed).hasSize(1);
    }

    @Test
    void sendsExpiredMessageWhenItWasSentBefore() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(
                new Delivery(1, queued(expiring("late", QoS.AT_LEAST_ONCE, ConnectionFixture.NOW - 5_000)), true));

        assertThat(fixture.sink.takeOnly(Publish.class).messageExpirySeconds()).isZero();
    }

    @Test // [MQTT-3.3.2-6]
    void countsMessageExpiryDown() {
        fixture.connect(Connects.v5().durable());
        fixture.wallMillis = ConnectionFixture.NOW + 2_200;

        fixture.deliver(
                new Delivery(1, queued(expiring("x", QoS.AT_LEAST_ONCE, ConnectionFixture.NOW + 30_000)), false));

        assertThat(fixture.sink.takeOnly(Publish.class).messageExpirySeconds()).isEqualTo(28);
    }

    @Test // [MQTT-3.1.2-24, MQTT-3.1.2-25]
    void dropsMessageWhenItIsTooLargeForClient() {
        fixture.connect(Connects.v5().durable().maximumPacketSize(100).receiveMaximum(1));

        fixture.deliver(
                new Delivery(1, queued("L".repeat(100), QoS.AT_LEAST_ONCE), false), delivery(2, QoS.AT_LEAST_ONCE));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m2");
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.recorder.dropped).containsExactly(DropReason.TOO_LARGE);
    }

    /** Else it would end the connection each time that the client comes back for it. */
    @Test
    void dropsMessageThatNoPacketCanCarry() {
        fixture.connect(Connects.v5().durable());
        PublishProperties properties =
                new PublishProperties(null, null, null, null, List.of(new UserProperty("n".repeat(65_536), "v")));
        Message unsendable =
                new Message("a", new byte[0], QoS.AT_LEAST_ONCE, false, properties, Message.NEVER, "back-end");

        fixture.deliver(new Delivery(1, queued(unsendable), false), delivery(2, QoS.AT_LEAST_ONCE));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m2");
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.recorder.dropped).containsExactly(DropReason.TOO_LARGE);
    }

    @Test
    void expiryThatNoPacketCanCarryIsTheLongest() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(new Delivery(
                1, queued(expiring("x", QoS.AT_LEAST_ONCE, ConnectionFixture.NOW + (1L << 33) * 1_000)), false));

        assertThat(fixture.sink.takeOnly(Publish.class).messageExpirySeconds()).isEqualTo(0xFFFF_FFFFL);
    }

    @Test
    void sendsNothingWhileConnectionIsNotWritable() {
        fixture.connect(Connects.v5().durable());
        fixture.sink.writable = false;
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE));
        assertThat(fixture.sink.take()).isEmpty();

        fixture.sink.writable = true;
        fixture.connection().onWritable();

        fixture.sink.takeOnly(Publish.class);
    }

    @Test
    void settlesQueuedQos0MessageWhenItIsSent() {
        fixture.connect(Connects.v5().durable());

        fixture.deliver(delivery(1, QoS.AT_MOST_ONCE));

        assertThat(fixture.sink.takeOnly(Publish.class).packetId()).isZero();
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
    }

    @Test
    void sendsQos0MessageWhenConnectedAndTellsSo() {
        fixture.connect(Connects.v5().durable());

        assertThat(fixture.backend.connections.deliverQos0("c", 100, queued("now", QoS.AT_MOST_ONCE)))
                .isTrue();
        assertThat(fixture.backend.connections.deliverQos0("other", 100, queued("now", QoS.AT_MOST_ONCE)))
                .isFalse();
        fixture.turn();

        assertThat(text(fixture.sink.takeOnly(Publish.class))).isEqualTo("now");
    }

    @Test
    void tellsWhatWasSentAndAcknowledgedWhenConnectionEnds() {
        fixture.connect(Connects.v5().durable().receiveMaximum(2));
        fixture.deliver(delivery(5, QoS.AT_LEAST_ONCE), delivery(6, QoS.AT_LEAST_ONCE), delivery(7, QoS.AT_LEAST_ONCE));

        fixture.connection().handle(puback(5));
        fixture.connection().connectionLost();

        assertThat(fixture.backend.settledSequences()).containsExactly(5);
        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 300, 7));
        assertThat(fixture.recorder.inFlight).isZero();
        assertThat(fixture.backend.lifecycle).doesNotContain("matchGroup c $share/g/topic");
    }

    @Test
    void dropsMessageWhenClientMayNotReceiveIt() {
        fixture.authorizer = new DenyReceiving();
        fixture.connect(Connects.v5().durable());

        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settledSequences()).containsExactly(1);
        assertThat(fixture.recorder.dropped).containsExactly(DropReason.NOT_AUTHORIZED);
    }

    @Test
    void tellsOthersHowManyMessagesAreInFlight() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(delivery(1, QoS.AT_LEAST_ONCE), delivery(2, QoS.AT_LEAST_ONCE));

        var subscriber = new Subscriber("c", true, 100);

        assertThat(fixture.sessions.inFlight(subscriber)).isEqualTo(2);
        fixture.send(puback(1));
        assertThat(fixture.sessions.inFlight(subscriber)).isEqualTo(1);
    }

    private static Puback puback(int packetId) {
        return new Puback(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private static Pubrec pubrec(int packetId, ReasonCode reason) {
        return new Pubrec(packetId, reason, null, List.of());
    }

    private static Pubcomp pubcomp(int packetId) {
        return new Pubcomp(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private static final class DenyReceiving implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return true;
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return true;
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            throw new IllegalStateException("down, which means no");
        }
    }
}
