package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.delivery;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.security.BanList;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ClientConnectionsTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test
    void doesNothingWhenConnectionIsGone() {
        ConnectionRegistry sessions = new ConnectionRegistry();

        sessions.attached(7, new Attached(1, 2, false, ClientKind.DEVICE, new int[0], 50));
        sessions.takenOver(7);
        sessions.deliver(7, List.of(delivery(1, QoS.AT_LEAST_ONCE)));
        sessions.receivedLogged(7, new long[] {1});
        sessions.deliverTransient(7, queued("x", QoS.AT_MOST_ONCE));

        assertThat(sessions.deliverQos0("c", 100, queued("x", QoS.AT_MOST_ONCE)))
                .isFalse();
    }

    @Test
    void dropsLettersWhenSessionEndsBeforeTheyAreHandled() {
        fixture.connect(Connects.v5().durable());
        long connection = fixture.connectionNumber();
        fixture.backend.connections.deliver(connection, List.of(delivery(1, QoS.AT_LEAST_ONCE)));
        fixture.backend.connections.receivedLogged(connection, new long[] {1});
        fixture.backend.connections.deliverTransient(connection, queued("x", QoS.AT_MOST_ONCE));

        fixture.connection().connectionLost();
        fixture.turn();

        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void keepsNeitherSessionNorConnectionOfOneThatEndsBeforeItIsAttached() {
        FakeBackend backend = new FakeBackend();
        backend.holdAttach();
        List<WeakReference<?>> gone = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            gone.addAll(connectAndLose(backend));
        }

        Awaitility.await().untilAsserted(() -> {
            System.gc();
            assertThat(gone).allMatch(each -> each.refersTo(null));
        });
        assertThat(backend.target.size()).isZero();
        assertThat(backend.waiting).isEqualTo(100);
        for (ShardEvent.Attach attach : backend.attaches) {
            backend.connections.attached(attach.connection(), backend.attached);
            backend.connections.attached(attach.connection(), backend.attached);
        }
        fixture.turn();
        assertThat(backend.detaches).hasSize(100);
        assertThat(backend.waiting).isZero();
    }

    @Test
    void forgetsOneThatEndedBeforeItWasAttachedWhenAnotherHasItsSession() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().build());
        fixture.connection().connectionLost();

        fixture.backend.connections.takenOver(fixture.connectionNumber());
        fixture.backend.answerAttach();
        fixture.turn();

        assertThat(fixture.backend.detaches).isEmpty();
        assertThat(fixture.backend.waiting).isZero();
    }

    @Test
    void forgetsOneThatEndedBeforeItWasAttachedWhenItsOwnerDoesNotNameIt() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().build());
        fixture.connection().connectionLost();

        fixture.backend.connections.onlyTheseAttached(_ -> true, _ -> false, 100); // its Attach is at 101
        fixture.turn();
        assertThat(fixture.backend.waiting).isEqualTo(1);
        fixture.backend.connections.onlyTheseAttached(_ -> true, _ -> false, 101);
        fixture.turn();

        assertThat(fixture.backend.waiting).isZero();
    }

    @Test
    void forgetsOneThatIsRefused() {
        fixture.backend.holdAttach();
        fixture.send(Connects.v5().build());

        fixture.backend.connections.refused(fixture.connectionNumber(), AttachRefusal.IS_APPLICATION);
        fixture.turn();

        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.sessions.size()).isZero();
        assertThat(fixture.backend.waiting).isZero();
    }

    /** Weak references to what a client leaves that connects and is lost before it gets its session. */
    private List<WeakReference<?>> connectAndLose(FakeBackend backend) {
        FakeSink sink = new FakeSink();
        ConnectionServices services = new ConnectionServices(
                "node",
                backend.parts,
                new AccessControl(
                        fixture.authenticator,
                        Map.of(),
                        fixture.authorizer,
                        fixture.clientRules,
                        fixture.takeover,
                        BanList.NONE),
                Extensions.NONE,
                ClientRecorder.NONE,
                InstantSource.system());
        ConnectionOrigin peer = new ConnectionOrigin("peer", null, "listener", () -> null, () -> null, null, null);
        ClientConnection session =
                new ClientConnection(services, backend.target, fixture.limits, peer, fixture.mailbox, sink);
        session.open();
        session.handle(Connects.v5().build());
        fixture.turn();
        session.connectionLost();
        fixture.turn();
        return List.of(new WeakReference<>(session), new WeakReference<>(sink), new WeakReference<>(peer));
    }

    @Test
    void givesMembersMessageToNobodyElseWhenTheNumberIsAnothersConnection() {
        fixture.connect(Connects.v5().durable());
        fixture.sink.take();

        fixture.backend.connections.deliverToMember(
                "a member that left", fixture.connectionNumber(), queued("x", QoS.AT_MOST_ONCE), null);
        fixture.turn();
        assertThat(fixture.sink.take()).isEmpty();

        fixture.backend.connections.deliverToMember(
                "c", fixture.connectionNumber(), queued("x", QoS.AT_MOST_ONCE), null);
        fixture.turn();
        assertThat(fixture.sink.take()).hasSize(1);
    }

    @Test
    void keepsNewerConnectionWhenOlderOneOfTheClientEnds() {
        fixture.connect(Connects.v5().durable());
        long old = fixture.connectionNumber();
        ClientConnection newer = fixture.connection();
        fixture.sessions.add(old + 1, newer, false);
        fixture.sessions.addPersistent(newer);

        fixture.sessions.remove(old + 100, newer);

        assertThat(fixture.backend.connections.deliverQos0("c", 99, queued("of another session", QoS.AT_MOST_ONCE)))
                .isFalse();
        assertThat(fixture.backend.connections.deliverQos0("c", 100, queued("x", QoS.AT_MOST_ONCE)))
                .isTrue();
    }

    @Test
    void closesConnectionsThatTheirOwnerDoesNotName() {
        fixture.connect(Connects.v5().durable());
        long connection = fixture.connectionNumber();

        fixture.backend.connections.onlyTheseAttached(_ -> true, _ -> false, 100); // its Attach is at 101
        fixture.backend.connections.onlyTheseAttached(_ -> false, _ -> false, 101);
        fixture.backend.connections.onlyTheseAttached(_ -> true, number -> number == connection, 101);
        fixture.turn();
        assertThat(fixture.sessions.size()).isEqualTo(1);

        fixture.backend.connections.onlyTheseAttached(_ -> true, _ -> false, 101);
        fixture.turn();
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.sessions.size()).isZero();
        assertThat(fixture.sink.take(Disconnect.class))
                .extracting(Disconnect::reason)
                .containsExactly(ReasonCode.SESSION_TAKEN_OVER);
    }

    @Test
    void givesEachConnectionANumberOfItsOwn() {
        ClientConnections sessions = new ClientConnections(new ConnectionRegistry());

        assertThat(sessions.nextConnection()).isNotEqualTo(sessions.nextConnection());
    }

    @Test
    void countsSessionsFromAttachOn() {
        fixture.connection();
        assertThat(fixture.sessions.size()).isZero();

        fixture.connect(Connects.v5());

        assertThat(fixture.sessions.size()).isEqualTo(1);
    }

    @Test
    void knowsMessagesInFlightOfConnectedSessionsOnly() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.sessions.inFlight(new Subscriber("c", false, fixture.connectionNumber())))
                .isEqualTo(1);
        assertThat(fixture.sessions.inFlight(new Subscriber("other", true, 1))).isEqualTo(-1);
    }
}
