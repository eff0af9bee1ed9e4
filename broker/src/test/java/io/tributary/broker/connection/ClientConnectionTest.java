package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.publish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnackProperties;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClientConnectionTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test // [MQTT-3.12.4-1]
    void answersPing() {
        fixture.connect(Connects.v5());

        fixture.send(new Pingreq());

        fixture.sink.takeOnly(Pingresp.class);
    }

    @Test // [MQTT-3.1.0-2]
    void disconnectsWhenSecondConnectComes() {
        fixture.connect(Connects.v5());

        fixture.send(Connects.v5().build());

        assertDisconnected(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void disconnectsWhenClientSendsPacketOfServers() {
        fixture.connect(Connects.v5());

        fixture.send(new Suback(1, List.of(ReasonCode.SUCCESS), null, List.of()));

        assertDisconnected(ReasonCode.PROTOCOL_ERROR);
    }

    @Test // [MQTT-4.12.0-7]
    void disconnectsWhenAuthComesWithoutMethodInConnect() {
        fixture.connect(Connects.v5());

        fixture.send(new Auth(ReasonCode.RE_AUTHENTICATE, "X", null, null, List.of()));

        assertDisconnected(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void closesWithoutWordWhenMqtt3ClientBreaksRules() {
        fixture.connect(Connects.v3());

        fixture.send(Connects.v3().build());

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test // [MQTT-4.13.1-1]
    void tellsReasonWhenPacketCannotBeDecoded() {
        fixture.connect(Connects.v5());

        fixture.connection().undecodable(new MqttException(ReasonCode.MALFORMED_PACKET, "bad"), null);

        assertDisconnected(ReasonCode.MALFORMED_PACKET);
    }

    @Test // [MQTT-3.1.4-6]
    void answersWithConnackWhenConnectCannotBeDecoded() {
        fixture.sink.use(ProtocolVersion.MQTT_5, 1_000);
        Connack refusal = new Connack(false, ReasonCode.MALFORMED_PACKET, ConnackProperties.reason("bad"));

        fixture.connection().undecodable(new MqttException(ReasonCode.MALFORMED_PACKET, "bad"), refusal);

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.MALFORMED_PACKET);
        assertThat(fixture.recorder.refused).containsExactly(ReasonCode.MALFORMED_PACKET);
    }

    @Test // [MQTT-3.14.4-1]
    void handlesNothingAfterDisconnect() {
        fixture.connect(Connects.v5());
        fixture.send(disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT));

        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        assertThat(fixture.backend.routed).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test // [MQTT-3.14.4-3]
    void discardsWillWhenClientDisconnectsNormally() {
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.send(disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 300, 0));
        assertThat(fixture.backend.lifecycle).endsWith("offline c");
        assertThat(fixture.events).endsWith("disconnected c SUCCESS");
    }

    @Test // [MQTT-3.1.2-8]
    void keepsWillWhenClientAsksForIt() {
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.send(disconnect(ReasonCode.DISCONNECT_WITH_WILL, MqttPacket.ABSENT));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 300, 0));
    }

    @Test // [MQTT-3.1.2-8]
    void keepsWillWhenConnectionIsLost() {
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.connection().connectionLost();
        fixture.connection().connectionLost();

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 300, 0));
    }

    @Test // [MQTT-3.1.2-8]
    void keepsWillWhenClientBreaksRules() {
        fixture.connect(Connects.v5().will("gone"));

        fixture.send(Connects.v5().build());

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 0, 0));
    }

    @Test
    void changesSessionExpiryWhenDisconnectSaysSo() {
        fixture.connect(Connects.v5().durable());

        fixture.send(disconnect(ReasonCode.SUCCESS, 7));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 7, 0));
    }

    @Test // [MQTT-3.14.2-2]
    void disconnectsWhenDisconnectMakesTransientSessionLast() {
        fixture.connect(Connects.v5());

        fixture.send(disconnect(ReasonCode.SUCCESS, 7));

        assertDisconnected(ReasonCode.PROTOCOL_ERROR);
        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 0, 0));
    }

    @Test // [MQTT-3.14.4-3]
    void discardsWillWhenDisconnectAsksForASessionThatTheListenerDoesNotAllow() {
        fixture.limits = ClientLimits.builder()
                .connect(connect -> connect.maxSessionExpiry(Duration.ZERO))
                .build();
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.send(disconnect(ReasonCode.SUCCESS, 300));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 0, 0));
        assertThat(fixture.events).endsWith("disconnected c SUCCESS");
    }

    @Test
    void endsSubscriptionsWhenTransientSessionLeaves() {
        fixture.connect(Connects.v3());

        fixture.connection().connectionLost();

        assertThat(fixture.backend.lifecycle).containsExactly("online c transient", "end c");
        assertThat(fixture.sessions.size()).isZero();
    }

    @Test // [MQTT-3.1.4-3]
    void disconnectsWhenSessionIsTakenOver() {
        fixture.connect(Connects.v5().durable());

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.turn();
        fixture.pass(Duration.ofMillis(1));

        assertDisconnected(ReasonCode.SESSION_TAKEN_OVER);
        assertThat(fixture.backend.detaches).hasSize(1);
        assertThat(fixture.sessions.size()).isZero();
    }

    @Test
    void disconnectCountsWhenItIsReadBehindTheTakeover() { // [MQTT-3.14.4-3]
        fixture.connect(Connects.v5().durable());

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.turn();
        fixture.deliver(ConnectionFixture.delivery(1, QoS.AT_LEAST_ONCE));
        fixture.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
        fixture.pass(Duration.ofMillis(100));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 0, 0));
        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isTrue();
    }

    /** Nothing that it sends shows that there is more: its socket is not read. */
    @Test
    void disconnectCountsThatIsHereWhenSocketIsNotReadWhileTheSessionIsTakenOver() { // [MQTT-3.14.4-3]
        fixture.connect(Connects.v5().durable());
        fixture.sink.unread = true;
        fixture.sink.onHeed = () -> fixture.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.turn();
        fixture.pass(Duration.ofMillis(2));
        assertThat(fixture.backend.detaches).isEmpty();
        for (int i = 0; i < 100; i++) {
            fixture.pass(Duration.ofMillis(2));
        }

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 0, 0));
    }

    /** The other connection has the packet identifier as received: it would take a new message for a repetition. */
    @Test
    void releasesNothingWhenAnotherConnectionHasTheSession() {
        fixture.connect(Connects.v5().durable());
        fixture.send(ConnectionFixture.publish(QoS.EXACTLY_ONCE, 5));
        fixture.sink.take();

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.turn();
        fixture.send(new Pubrel(5, ReasonCode.SUCCESS, null, List.of()));

        assertThat(fixture.backend.releases).isEmpty();
        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void closesThoughTheClientKeepsSendingWhenTakenOver() {
        fixture.connect(Connects.v5().durable());

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        for (int i = 0; i < 100 && !fixture.sink.closed; i++) {
            fixture.connection().touch();
            fixture.pass(Duration.ofMillis(2));
        }

        assertThat(fixture.backend.detaches).hasSize(1);
    }

    @Test
    void closesWithoutDetachWhenTakenOverBeforeItWasAttached() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.turn();
        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.backend.detaches).isEmpty();
        assertThat(fixture.sessions.size()).isZero();
    }

    @Test
    void detachesAsSoonAsAttachedWhenConnectionWasLostMeanwhile() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().durable().build());
        fixture.connection().connectionLost();
        assertThat(fixture.backend.detaches).isEmpty();

        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 300, 0));
        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.lifecycle).isEmpty();
        assertThat(fixture.sessions.size()).isZero();
    }

    @Test
    void discardsWillWhenConnectWasRefusedBeforeItWasAttached() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().will("gone").build());
        fixture.pass(Duration.ofSeconds(31));

        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 0, 0));
    }

    @Test
    void takesNoPacketsWhileItIsAttached() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.recorder.paused).containsExactly(PauseReason.HANDSHAKE);

        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void tellsClientWhenNodeShutsDown() {
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.connection().sendAway(Farewell.stopping(null));

        assertDisconnected(ReasonCode.SERVER_SHUTTING_DOWN);
        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, true, 300, 0));
    }

    @Test
    void staysOpenAfterDisconnectUntilItIsLogged() {
        fixture.backend.holdDetach = true;
        fixture.connect(Connects.v5().durable().will("gone"));

        fixture.send(disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT));

        assertThat(fixture.backend.detaches).containsExactly(new Detach("c", 101, false, 300, 0));
        assertThat(fixture.sink.closed).isFalse();

        fixture.backend.detached.run();
        fixture.turn();

        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void closesAfterDisconnectWhenItTakesTooLongToBeLogged() {
        fixture.backend.holdDetach = true;
        fixture.connect(Connects.v5());

        fixture.send(disconnect(ReasonCode.SUCCESS, MqttPacket.ABSENT));
        fixture.pass(Duration.ofSeconds(31));

        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void refusesClientWhenNodeShutsDownBeforeItIsAttached() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        fixture.connection().sendAway(Farewell.stopping(null));

        // CONNACK has no SERVER_SHUTTING_DOWN.
        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test // [MQTT-4.11]
    void tellsClientThatIsNotAttachedYetWhereToGoWhenNodeShutsDown() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        fixture.connection().sendAway(Farewell.stopping("other.example"));

        Connack refusal = fixture.sink.takeOnly(Connack.class);
        assertThat(refusal.reason()).isEqualTo(ReasonCode.SERVER_MOVED);
        assertThat(refusal.properties().serverReference()).isEqualTo("other.example");
    }

    @Test
    void disconnectsWhenItsOwnCodeFails() {
        fixture.connect(Connects.v5());

        fixture.connection().inbox().post(() -> {
            throw new IllegalStateException("a bug");
        });
        fixture.turn();

        assertDisconnected(ReasonCode.UNSPECIFIED_ERROR);
    }

    @Test
    void staysConnectedWhenNewOwnerOfItsShardTellsItAgain() {
        fixture.connect(Connects.v5().durable());

        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void failsWhenAttachedOutOfTurn() {
        assertThatThrownBy(() -> fixture.connection().attached(fixture.backend.attached))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test // [MQTT-3.1.2-22]
    void disconnectsWhenNothingCameForOneAndAHalfTimesKeepAlive() {
        fixture.connect(Connects.v5().keepAlive(10));
        fixture.pass(Duration.ofMillis(14_900));
        assertThat(fixture.sink.closed).isFalse();

        fixture.pass(Duration.ofMillis(200));

        assertDisconnected(ReasonCode.KEEP_ALIVE_TIMEOUT);
        assertThat(fixture.recorder.keepAliveTimeouts).isEqualTo(1);
    }

    @Test // [MQTT-3.1.2-22]
    void staysConnectedWhenSomethingComesWithinKeepAlive() {
        fixture.connect(Connects.v5().keepAlive(10));
        for (int i = 0; i < 5; i++) {
            fixture.pass(Duration.ofSeconds(10));
            fixture.connection().touch();
        }

        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void staysConnectedWhenKeepAliveIsOff() {
        fixture.connect(Connects.v5());

        fixture.pass(Duration.ofDays(1));

        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void blamesNoSilenceOnClientWhileItIsNotRead() {
        fixture.connect(Connects.v5().keepAlive(10));
        fixture.backend.congested = true;
        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));

        fixture.pass(Duration.ofSeconds(100));

        assertThat(fixture.sink.closed).isFalse();
    }

    @Test
    void blamesNoSilenceOnClientWhoseSocketIsNotRead() {
        fixture.connect(Connects.v5().keepAlive(10));
        fixture.sink.heldBack = true;
        fixture.pass(Duration.ofSeconds(100));
        assertThat(fixture.sink.closed).isFalse();

        fixture.sink.heldBack = false;
        fixture.pass(Duration.ofSeconds(15));
        assertDisconnected(ReasonCode.KEEP_ALIVE_TIMEOUT);
    }

    @Test
    void hasAllOfItsKeepAliveWhenItIsReadAgain() {
        fixture.connect(Connects.v5().keepAlive(10));
        fixture.pass(Duration.ofSeconds(14));
        fixture.connection().readAgain();

        fixture.pass(Duration.ofSeconds(14));
        assertThat(fixture.sink.closed).isFalse();
        fixture.pass(Duration.ofSeconds(1));
        assertDisconnected(ReasonCode.KEEP_ALIVE_TIMEOUT);
    }

    private void assertDisconnected(ReasonCode reason) {
        assertThat(fixture.sink.take().getLast())
                .isInstanceOfSatisfying(
                        Disconnect.class,
                        disconnect -> assertThat(disconnect.reason()).isEqualTo(reason));
        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.recorder.disconnected).containsExactly(reason);
    }

    private static Disconnect disconnect(ReasonCode reason, long expirySeconds) {
        return new Disconnect(reason, expirySeconds, null, null, List.of());
    }
}
