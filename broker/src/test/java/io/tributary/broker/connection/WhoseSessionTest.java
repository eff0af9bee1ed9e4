package io.tributary.broker.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.BanList;
import io.tributary.broker.security.SessionTakeover;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which principal a connection asks in the name of, and what becomes of one that asks for somebody else's session. */
class WhoseSessionTest {
    private static final Principal ALICE = new Principal("r", "alice");
    private static final Principal MALLORY = new Principal("r", "mallory");

    private final ConnectionFixture fixture = new ConnectionFixture();
    private @Nullable Principal named = ALICE;

    WhoseSessionTest() {
        fixture.authenticator =
                (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted(null, named));
    }

    @Test
    void principalIsTheUserNameWhenTheAuthenticatorNamesNone() {
        named = null;
        fixture.connect(Connects.v5().durable());
        assertThat(attach().principal()).isEqualTo(Principal.ofUser("user"));
        assertThat(attach().takesAnyones()).isFalse();
        assertThat(fixture.clients.getFirst().principal()).isEqualTo(Principal.ofUser("user"));
    }

    @Test
    void principalIsWhatTheAuthenticatorSays() {
        fixture.takeover = SessionTakeover.ANYONE;
        fixture.connect(Connects.v5().durable());
        assertThat(attach().principal()).isEqualTo(ALICE);
        assertThat(attach().takesAnyones()).isTrue();
        assertThat(fixture.backend.resumed.getFirst().principal()).isEqualTo(ALICE);
    }

    @Test
    void userNameThatIsTooLongIsRefusedWhereItIsThePrincipal() {
        Connect usual = Connects.v5().build();
        Connect connect = new Connect(
                ProtocolVersion.MQTT_5,
                true,
                0,
                "c",
                null,
                "x".repeat(Principal.MAX_BYTES + 1),
                null,
                usual.properties());
        named = null;
        fixture.send(connect);
        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void refusalIsAnsweredAndCounted() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().durable().build());
        fixture.backend.connections.refused(fixture.connectionNumber(), AttachRefusal.IS_SOMEBODY_ELSES);
        fixture.turn();
        Connack connack = fixture.sink.takeOnly(Connack.class);
        assertThat(connack.reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(connack.properties().reasonString()).doesNotContain("alice");
        assertThat(fixture.recorder.takeoversRefused).isEqualTo(1);
        assertThat(fixture.recorder.refused).isEqualTo(List.of(ReasonCode.NOT_AUTHORIZED));
        assertThat(fixture.sessions.size()).isZero();
        assertThat(fixture.backend.detaches).isEmpty();
    }

    @Test
    void clientIsToldThatThereIsNoMemoryForItsWill() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().durable().build());
        fixture.backend.connections.refused(fixture.connectionNumber(), AttachRefusal.NO_ROOM_FOR_WILL);
        fixture.turn();
        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.QUOTA_EXCEEDED);
        assertThat(fixture.backend.detaches).isEmpty();
    }

    /** Strangers come and go; the owner's next connection waits for what is still on its way through the first one. */
    @Test
    void connectionDoesNotNoticeStrangers() {
        fixture.connect(Connects.v5().durable());
        fixture.backend.holdAttach();
        for (int i = 0; i < 3; i++) {
            connect(MALLORY, SessionTakeover.PRINCIPAL);
            fixture.backend.connections.refused(fixture.connectionNumber(), AttachRefusal.IS_SOMEBODY_ELSES);
            fixture.turn();
        }
        assertThat(fixture.backend.attaches).hasSize(4);
        assertThat(fixture.sessions.size()).isEqualTo(1);
        ClientConnection next = connect(ALICE, SessionTakeover.PRINCIPAL);
        assertThat(fixture.sessions.add(1000, next, false)).isSameAs(next);
    }

    @Test
    void connectionIsReadOutForAStrangerWhereAnyoneGetsTheSession() {
        fixture.connect(Connects.v5().durable());
        fixture.connection().touch(); // something has come
        connect(MALLORY, SessionTakeover.ANYONE);
        assertThat(fixture.backend.attaches).hasSize(1);
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.backend.attaches).hasSize(2);
    }

    @Test
    void strangerThatGotTheSessionIsFollowedByItsOwnNextConnection() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().durable().build());
        ClientConnection stranger = connect(MALLORY, SessionTakeover.PRINCIPAL); // the log has it first
        fixture.backend.answerAttach();
        fixture.turn();
        assertThat(fixture.sessions.add(1000, stranger, false)).isSameAs(stranger);
    }

    /** Another connection of the same client identifier. */
    private ClientConnection connect(Principal who, SessionTakeover takeover) {
        Authenticator authenticator =
                (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted(null, who));
        ConnectionServices services = new ConnectionServices(
                "node",
                fixture.backend.parts,
                new AccessControl(
                        authenticator, Map.of(), fixture.authorizer, fixture.clientRules, takeover, BanList.NONE),
                Extensions.NONE,
                ClientRecorder.NONE,
                InstantSource.system());
        ClientConnection connection = new ClientConnection(
                services,
                fixture.sessions,
                fixture.limits,
                new ConnectionOrigin("peer", null, "listener", () -> null, () -> null, null, null),
                fixture.mailbox,
                new FakeSink());
        connection.open();
        connection.handle(Connects.v5().durable().build());
        fixture.turn();
        return connection;
    }

    private Attach attach() {
        return fixture.backend.attaches.getLast();
    }
}
