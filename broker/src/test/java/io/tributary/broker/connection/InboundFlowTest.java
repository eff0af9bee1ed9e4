package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.publish;
import static io.tributary.broker.connection.ConnectionFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.routing.RouteOutcome;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Acknowledgement;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.thread.RoomQueue;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InboundFlowTest {
    private static final RouteOutcome SAFE = new RouteOutcome.Safe();

    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test
    void acknowledgesNothingWhenQosIsZero() {
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.AT_MOST_ONCE, 0));

        assertThat(fixture.backend.routed).hasSize(1);
        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void takesNoPublishWhileNodeIsBehindOthers() {
        fixture.connect(Connects.v5());
        fixture.backend.behind = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 7));
        assertThat(fixture.backend.routed).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.catchUp();

        assertThat(fixture.backend.routed).hasSize(1);
        assertThat(fixture.sink.takeOnly(Puback.class).packetId()).isEqualTo(7);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    /** It would not be read any more, nor end. */
    @Test
    void connectionEndsWhenWhatWasHeldFailsWithAnError() {
        fixture.connect(Connects.v5());
        fixture.backend.behind = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 7));
        fixture.backend.routingFailure = new AssertionError("an extension's");
        fixture.backend.catchUp();
        fixture.turn();
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void holdsPublishAgainWhenNodeIsBehindOnceMore() {
        fixture.connect(Connects.v5());
        fixture.backend.behind = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 7));
        fixture.backend.behindAgain = true;
        fixture.backend.catchUp();
        assertThat(fixture.backend.routed).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.behindAgain = false;
        fixture.backend.catchUp();

        assertThat(fixture.backend.routed).hasSize(1);
    }

    /** A socket takes what waits in it within the call that tells it to. */
    @Test
    void takesPacketsInTheirOrderWhenOneBehindAHeldOneIsHeldAtOnce() {
        fixture.connect(Connects.v5());
        fixture.backend.behind = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 7));
        Deque<MqttPacket> waiting = new ArrayDeque<>(List.of(subscribe(8), subscribe(9), new MqttPacket.Pingreq()));
        fixture.sink.onResume = () -> {
            while (fixture.connection().mayRead() && !waiting.isEmpty()) {
                fixture.connection().handle(waiting.remove());
            }
        };
        fixture.backend.unmatched = true;
        fixture.backend.catchUp();
        fixture.turn();
        fixture.sink.takeOnly(Puback.class);
        assertThat(waiting).hasSize(2);
        assertThat(fixture.backend.subscribed).isEmpty();

        fixture.backend.match();
        fixture.turn();
        List<MqttPacket> answers = fixture.sink.take();
        assertThat(answers).hasSize(3);
        assertThat(((Suback) answers.get(0)).packetId()).isEqualTo(8);
        assertThat(((Suback) answers.get(1)).packetId()).isEqualTo(9);
        assertThat(answers.get(2)).isInstanceOf(MqttPacket.Pingresp.class);
    }

    private static Subscribe subscribe(int packetId) {
        Subscription asked = new Subscription("a", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND);
        return new Subscribe(packetId, List.of(asked), 0, List.of());
    }

    @Test // [MQTT-4.3.2-4]
    void sendsPubackWhenMessageIsSafe() {
        fixture.connect(Connects.v5());
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 7));
        assertThat(fixture.sink.take()).isEmpty();

        route(0, SAFE);

        assertThat(fixture.sink.takeOnly(Puback.class)).isEqualTo(new Puback(7, ReasonCode.SUCCESS, null, List.of()));
    }

    @ParameterizedTest
    @EnumSource(
            value = QoS.class,
            names = {"AT_LEAST_ONCE", "EXACTLY_ONCE"})
    void tellsHowLongSomeAcknowledgementsTook(QoS qos) {
        fixture.connect(Connects.v5());
        fixture.backend.holdRoutes = true;
        for (int i = 1; fixture.recorder.acknowledged.isEmpty() && i < 1_000; i++) {
            fixture.send(publish(qos, i));
            fixture.pass(Duration.ofMillis(3));
            fixture.backend.routed.getLast().callback().onRouted(SAFE);
            fixture.turn();
            fixture.sink.take();
            if (qos == QoS.EXACTLY_ONCE) {
                fixture.send(new Pubrel(i, ReasonCode.SUCCESS, null, List.of()));
            }
        }
        assertThat(fixture.recorder.acknowledged).containsExactly(qos.code() + " 3000000");
    }

    @Test // [MQTT-4.6.0-2]
    void sendsAcknowledgementsInOrderWhenMessagesBecomeSafeInAnother() {
        fixture.connect(Connects.v5());
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));
        fixture.send(publish(QoS.EXACTLY_ONCE, 2));
        fixture.send(publish(QoS.AT_LEAST_ONCE, 3));

        route(2, SAFE);
        route(1, SAFE);
        assertThat(fixture.sink.take()).isEmpty();
        route(0, SAFE);

        assertThat(fixture.sink.take(Acknowledgement.class))
                .extracting(Acknowledgement::packetId)
                .containsExactly(1, 2, 3);
    }

    @Test // [MQTT-4.6.0-2]
    void answersRepeatedPublishAfterThoseBeforeIt() {
        fixture.connect(Connects.v5());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.sink.take();
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 2));

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        route(1, SAFE);

        assertThat(fixture.sink.take(Acknowledgement.class))
                .extracting(Acknowledgement::packetId)
                .containsExactly(2, 1);
    }

    @Test
    void readsNoMoreWhenMqtt5ClientRepeatsPublishWithoutEnd() {
        fixture.connect(Connects.v5());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 2));

        int sent = sendWhileRead(publish(QoS.EXACTLY_ONCE, 1));
        assertThat(sent).isLessThan(10_000);
        route(1, SAFE);

        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void readsNoMoreWhenClientSendsPubrelWithoutEnd() {
        fixture.connect(Connects.v5().durable());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.holdReleases = true;
        fixture.send(pubrel(1));

        int sent = sendWhileRead(pubrel(9));
        assertThat(sent).isLessThan(10_000);
        fixture.backend.releases.getFirst().callback().onAppended(1, null);
        fixture.turn();

        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void waitsForRoomNoLongerThanItsConnection() {
        fixture.connect(Connects.v5());
        fixture.backend.congested = true;
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.backend.waitingForRoom()).isOne();

        fixture.connection().connectionLost();

        assertThat(fixture.backend.waitingForRoom()).isZero();
    }

    private int sendWhileRead(MqttPacket packet) {
        int sent = 0;
        while (fixture.connection().mayRead() && sent < 10_000) {
            fixture.send(packet);
            sent++;
        }
        return sent;
    }

    @Test
    void tellsThatNobodySubscribesWhenClientSpeaksMqtt5() {
        fixture.backend.outcome = new RouteOutcome.NoSubscribers();
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        assertThat(fixture.sink.takeOnly(Puback.class).reason()).isEqualTo(ReasonCode.NO_MATCHING_SUBSCRIBERS);
    }

    @Test
    void tellsRefusalWithWordsWhenClientSpeaksMqtt5() {
        fixture.backend.outcome = new RouteOutcome.Refused(ReasonCode.NOT_AUTHORIZED, "no");
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        assertThat(fixture.sink.takeOnly(Puback.class))
                .isEqualTo(new Puback(1, ReasonCode.NOT_AUTHORIZED, "no", List.of()));
    }

    @Test // [MQTT-3.1.2-29]
    void leavesWordsOutWhenClientWantsNone() {
        fixture.backend.outcome = new RouteOutcome.Refused(ReasonCode.NOT_AUTHORIZED, "no");
        fixture.connect(Connects.v5().noProblemInformation());

        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        assertThat(fixture.sink.takeOnly(Puback.class).reasonString()).isNull();
    }

    @Test
    void acknowledgesRefusedMessageWhenClientSpeaksMqtt3() {
        fixture.backend.outcome = new RouteOutcome.Refused(ReasonCode.NOT_AUTHORIZED, "no");
        fixture.connect(Connects.v3());

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.send(pubrel(1));

        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Pubrec.class, Pubcomp.class);
    }

    @Test
    void closesWithoutAcknowledgementWhenMessageIsLost() {
        fixture.backend.outcome = new RouteOutcome.Lost();
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test // [MQTT-4.3.3-8, MQTT-4.3.3-11]
    void completesQos2ExchangeOfTransientSession() {
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));

        assertThat(fixture.sink.take())
                .containsExactly(
                        new Pubrec(5, ReasonCode.SUCCESS, null, List.of()),
                        new Pubcomp(5, ReasonCode.SUCCESS, null, List.of()));
        assertThat(fixture.backend.releases).isEmpty();
    }

    @Test // [MQTT-4.3.3-10]
    void routesOnceWhenQos2PublishIsRepeated() {
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        assertThat(fixture.backend.routed).hasSize(1);
        assertThat(fixture.sink.take(Pubrec.class)).hasSize(2);
    }

    @Test // [MQTT-4.3.3-12]
    void routesAgainWhenPacketIdentifierIsUsedAfterPubcomp() {
        fixture.connect(Connects.v5());
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));

        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        assertThat(fixture.backend.routed).hasSize(2);
    }

    /** The client would take it for the PUBREC of its new message, which is not safe yet. */
    @Test // [MQTT-4.3.3-12]
    void sendsNoPubrecForRepetitionWhenPacketIdentifierIsUsedAgain() {
        fixture.connect(Connects.v5());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 2));
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.send(pubrel(1));
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.sink.take();

        route(1, SAFE);
        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Puback.class);

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        assertThat(fixture.backend.routed).hasSize(3);
        route(2, SAFE);
        assertThat(fixture.sink.takeOnly(Pubrec.class).packetId()).isEqualTo(1);
    }

    /** Its PUBREC would end the exchange of the new message, and a repetition of that would be routed again. */
    @Test // [MQTT-4.3.3-10]
    void routesOnceWhenPacketIdentifierIsUsedAgainBehindARefusedPublish() {
        fixture.connect(Connects.v5().durable());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.holdRoutes = true;
        fixture.backend.holdReleases = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 2));
        fixture.send(pubrel(1));
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.releases.getFirst().callback().onAppended(3, null);
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        route(1, SAFE);

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));

        assertThat(fixture.backend.routed).hasSize(3);
    }

    @Test // [MQTT-4.3.3-9]
    void freesPacketIdentifierWhenPubrecHasError() {
        fixture.connect(Connects.v5());
        fixture.backend.outcome = new RouteOutcome.Refused(ReasonCode.QUOTA_EXCEEDED, "full");
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        assertThat(fixture.backend.routed).hasSize(2);
        assertThat(fixture.sink.take(Pubrec.class)).extracting(Pubrec::reason).containsOnly(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test // [MQTT-4.3.3-10]
    void knowsPacketIdentifiersOfEarlierConnectionsWhenSessionIsResumed() {
        fixture.backend.attached = new Attached(1, 2, true, ClientKind.DEVICE, new int[] {9}, 50);
        fixture.connect(Connects.v5().durable());

        fixture.send(publish(QoS.EXACTLY_ONCE, 9));
        fixture.send(pubrel(9));

        assertThat(fixture.backend.routed).isEmpty();
        assertThat(fixture.sink.take()).hasExactlyElementsOfTypes(Pubrec.class, Pubcomp.class);
        assertThat(fixture.backend.releases.getFirst().release()).isEqualTo(new Release("c", 2, 9));
    }

    @Test
    void sendsPubcompWhenReleaseOfPersistentSessionIsLogged() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.holdReleases = true;
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));
        fixture.send(pubrel(5));
        assertThat(fixture.sink.take()).hasSize(1);
        assertThat(fixture.backend.releases).hasSize(1);

        fixture.backend.releases.getFirst().callback().onAppended(3, null);

        fixture.sink.takeOnly(Pubcomp.class);
    }

    @Test
    void refusesPacketIdentifierWhileItIsBeingReleased() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.holdReleases = true;
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));
        fixture.sink.take();

        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        assertThat(fixture.sink.takeOnly(Pubrec.class).reason()).isEqualTo(ReasonCode.PACKET_IDENTIFIER_IN_USE);
    }

    @Test
    void closesWhenReleaseCannotBeLogged() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.holdReleases = true;
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));
        fixture.sink.take();

        fixture.backend.releases.getFirst().callback().onAppended(-1, new IllegalStateException("closed"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.SERVER_SHUTTING_DOWN);
    }

    @Test // [MQTT-4.6.0-2]
    void sendsPubcompsInOrderWhenLaterOneIsUnknown() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.holdReleases = true;
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));
        fixture.send(pubrel(5));
        fixture.sink.take();
        fixture.send(pubrel(6));
        assertThat(fixture.sink.take()).isEmpty();

        fixture.backend.releases.getFirst().callback().onAppended(3, null);

        assertThat(fixture.sink.take(Pubcomp.class))
                .extracting(Pubcomp::reason)
                .containsExactly(ReasonCode.SUCCESS, ReasonCode.PACKET_IDENTIFIER_NOT_FOUND);
    }

    @Test
    void answersPubrelWhenPacketIdentifierIsUnknown() {
        fixture.connect(Connects.v3());

        fixture.send(pubrel(4_711));

        assertThat(fixture.sink.takeOnly(Pubcomp.class).packetId()).isEqualTo(4_711);
    }

    @Test
    void disconnectsWhenPubrelComesBeforePubrec() {
        fixture.connect(Connects.v5());
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.EXACTLY_ONCE, 5));

        fixture.send(pubrel(5));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test // [MQTT-3.3.4-7, MQTT-3.3.4-9]
    void disconnectsWhenReceiveMaximumIsExceeded() {
        limits(new InboundLimits(2, 0, 10, 10, false, MessageRate.UNLIMITED));
        fixture.connect(Connects.v5());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.backend.holdRoutes = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 2));
        fixture.sink.take();

        fixture.send(publish(QoS.AT_LEAST_ONCE, 3));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.RECEIVE_MAXIMUM_EXCEEDED);
    }

    @Test
    void givesPlaceBackWhenExchangesEnd() {
        limits(new InboundLimits(1, 0, 10, 10, false, MessageRate.UNLIMITED));
        fixture.connect(Connects.v5());

        for (int id = 1; id < 10; id++) {
            fixture.send(publish(QoS.EXACTLY_ONCE, id));
            fixture.send(pubrel(id));
            fixture.send(publish(QoS.AT_LEAST_ONCE, id));
        }

        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void countsOnlyMessagesOfThisConnectionAgainstReceiveMaximum() {
        limits(new InboundLimits(2, 0, 10, 10, false, MessageRate.UNLIMITED));
        fixture.backend.attached = new Attached(1, 2, true, ClientKind.DEVICE, new int[] {7, 8}, 50);
        fixture.connect(Connects.v5().durable());

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.send(publish(QoS.EXACTLY_ONCE, 2));

        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void disconnectsWhenMessagesWithoutPubrelPileUpOverConnections() {
        limits(new InboundLimits(2, 0, 10, 10, false, MessageRate.UNLIMITED));
        fixture.backend.attached = new Attached(1, 2, true, ClientKind.DEVICE, new int[] {5, 6, 7, 8}, 50);
        fixture.connect(Connects.v5().durable());

        fixture.send(publish(QoS.EXACTLY_ONCE, 1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
    }

    @Test
    void closesWhenMqtt3ClientLeavesTooManyMessagesWithoutPubrel() {
        limits(new InboundLimits(100, 0, 10, 2, false, MessageRate.UNLIMITED));
        fixture.connect(Connects.v3());
        fixture.send(publish(QoS.EXACTLY_ONCE, 1));
        fixture.send(publish(QoS.EXACTLY_ONCE, 2));
        assertThat(fixture.sink.closed).isFalse();

        fixture.send(publish(QoS.EXACTLY_ONCE, 3));

        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void stopsReadingWhenMqtt3ClientHasTooManyUnacknowledgedMessages() {
        limits(new InboundLimits(100, 0, 4, 10, false, MessageRate.UNLIMITED));
        fixture.connect(Connects.v3());
        fixture.backend.holdRoutes = true;
        for (int id = 1; id <= 4; id++) {
            assertThat(fixture.connection().mayRead()).isTrue();
            fixture.send(publish(QoS.AT_LEAST_ONCE, id));
        }
        assertThat(fixture.connection().mayRead()).isFalse();

        route(0, SAFE);
        assertThat(fixture.connection().mayRead()).isFalse();
        route(1, SAFE);

        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void stopsReadingWhileShardsAreCongested() {
        fixture.connect(Connects.v5());
        fixture.backend.congested = true;
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.makeRoom();
        fixture.turn();

        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.recorder.paused).contains(PauseReason.CONGESTED);
    }

    @Test
    void stopsReadingWhileRetainedMessagesWaitToBeStored() {
        List<Runnable> untilRoom = new ArrayList<>();
        fixture.connect(Connects.v5());
        fixture.backend.storing = new RoomQueue(untilRoom::add);
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.backend.routed)
                .as("one that does not wait behind those")
                .hasSize(1);
        fixture.backend.routed.clear();

        fixture.send(retained());
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.backend.routed).as("not even the first one").isEmpty();
        untilRoom.removeFirst().run();
        fixture.turn();
        assertThat(fixture.backend.routed).as("others were first").isEmpty();

        fixture.backend.storing = null;
        untilRoom.removeFirst().run();
        fixture.turn();
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.backend.routed).hasSize(1);
        assertThat(fixture.recorder.paused).contains(PauseReason.STORING);
    }

    private static Publish retained() {
        Publish plain = publish(QoS.AT_MOST_ONCE, 0);
        return new Publish(
                plain.topic(),
                plain.payload(),
                plain.qos(),
                true,
                false,
                0,
                0,
                plain.messageExpirySeconds(),
                plain.properties(),
                plain.subscriptionIds());
    }

    @Test // [MQTT-3.3.2-12]
    void knowsTopicWhenOnlyAliasComes() {
        fixture.connect(Connects.v5());

        fixture.send(publish("a/b", QoS.AT_MOST_ONCE, 0, 32));
        fixture.send(publish("", QoS.AT_MOST_ONCE, 0, 32));

        assertThat(fixture.backend.routed)
                .extracting(routed -> routed.message().topic())
                .containsExactly("a/b", "a/b");
    }

    @Test // [MQTT-3.3.2-9]
    void disconnectsWhenAliasIsAboveMaximum() {
        fixture.connect(Connects.v5());

        fixture.send(publish("a/b", QoS.AT_MOST_ONCE, 0, 33));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.TOPIC_ALIAS_INVALID);
    }

    @Test
    void refusesPayloadWhenItIsNotWhatItSays() {
        limits(new InboundLimits(10, 0, 10, 10, true, MessageRate.UNLIMITED));
        fixture.connect(Connects.v5());

        fixture.send(withFormat(QoS.AT_LEAST_ONCE, 1, new byte[] {(byte) 0xFF}));
        fixture.send(withFormat(QoS.EXACTLY_ONCE, 2, new byte[] {(byte) 0xFF}));
        fixture.send(withFormat(QoS.AT_MOST_ONCE, 0, new byte[] {(byte) 0xFF}));

        assertThat(fixture.backend.routed).isEmpty();
        assertThat(fixture.sink.take(Acknowledgement.class))
                .extracting(Acknowledgement::reason)
                .containsExactly(ReasonCode.PAYLOAD_FORMAT_INVALID, ReasonCode.PAYLOAD_FORMAT_INVALID);
        assertThat(fixture.recorder.dropped).hasSize(3).containsOnly(DropReason.PAYLOAD_FORMAT_INVALID);
    }

    @Test
    void takesPayloadWhenItIsWhatItSays() {
        limits(new InboundLimits(10, 0, 10, 10, true, MessageRate.UNLIMITED));
        fixture.connect(Connects.v5());

        fixture.send(withFormat(QoS.AT_LEAST_ONCE, 1, utf8("\u4e2d")));

        assertThat(fixture.backend.routed).hasSize(1);
    }

    @Test // [MQTT-3.3.2-6]
    void countsExpiryFromArrival() {
        fixture.connect(Connects.v5());
        Publish packet = publish(QoS.AT_MOST_ONCE, 0);

        fixture.send(packet);
        fixture.send(new Publish(
                packet.topic(), packet.payload(), packet.qos(), true, false, 0, 0, 30, packet.properties(), List.of()));

        Message never = fixture.backend.routed.get(0).message();
        Message expiring = fixture.backend.routed.get(1).message();
        assertThat(never.expiresAtMillis()).isEqualTo(Message.NEVER);
        assertThat(expiring.expiresAtMillis()).isEqualTo(ConnectionFixture.NOW + 30_000);
        assertThat(expiring.publisher()).isEqualTo("c");
        assertThat(expiring.retain()).isTrue();
    }

    @Test
    void stopsReadingWhenMessageRateIsUsedUp() {
        limits(new InboundLimits(10, 0, 10, 10, false, new MessageRate(10, 2, MessageRate.Policy.BACKPRESSURE)));
        fixture.connect(Connects.v5());
        for (int i = 0; i < 2; i++) {
            fixture.send(publish(QoS.AT_MOST_ONCE, 0));
            assertThat(fixture.connection().mayRead()).isTrue();
        }
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.pass(Duration.ofMillis(101));

        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.backend.routed).hasSize(3);
    }

    @Test
    void disconnectsWhenMessageRateIsUsedUpAndSoConfigured() {
        limits(new InboundLimits(10, 0, 10, 10, false, new MessageRate(10, 1, MessageRate.Policy.DISCONNECT)));
        fixture.connect(Connects.v5());

        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.MESSAGE_RATE_TOO_HIGH);
    }

    private void route(int index, RouteOutcome outcome) {
        fixture.backend.routed.get(index).callback().onRouted(outcome);
        fixture.turn();
    }

    private void limits(InboundLimits inbound) {
        fixture.limits = new ClientLimits(
                ClientLimits.DEFAULT.packets(), ConnectLimits.DEFAULT, inbound, OutboundLimits.DEFAULT);
    }

    private static Pubrel pubrel(int packetId) {
        return new Pubrel(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private static Publish withFormat(QoS qos, int packetId, byte[] payload) {
        PublishProperties properties = new PublishProperties(PayloadFormat.UTF_8, null, null, null, List.of());
        return new Publish("t", payload, qos, false, false, packetId, 0, MqttPacket.ABSENT, properties, List.of());
    }
}
