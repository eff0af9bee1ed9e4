package io.tributary.broker.session;

import static io.tributary.broker.session.SessionFixture.delivery;
import static io.tributary.broker.session.SessionFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.QueueKind;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalSessionsTest {
    private final SessionFixture fixture = new SessionFixture();

    @Test
    void doesNothingWhenConnectionIsGone() {
        LocalSessions sessions = new LocalSessions();

        sessions.attached(7, new Attached(1, 2, false, QueueKind.SHARD, new int[0]));
        sessions.takenOver(7);
        sessions.deliver(7, List.of(delivery(1, QoS.AT_LEAST_ONCE)));
        sessions.received(7, new long[] {1});
        sessions.deliverTransient(7, queued("x", QoS.AT_MOST_ONCE));

        assertThat(sessions.deliverQos0("c", 100, queued("x", QoS.AT_MOST_ONCE)))
                .isFalse();
        assertThat(sessions.size()).isZero();
    }

    @Test
    void dropsLettersWhenSessionEndsBeforeTheyAreHandled() {
        fixture.connect(Connects.v5().durable());
        long connection = fixture.connection();
        fixture.sessions.deliver(connection, List.of(delivery(1, QoS.AT_LEAST_ONCE)));
        fixture.sessions.received(connection, new long[] {1});
        fixture.sessions.deliverTransient(connection, queued("x", QoS.AT_MOST_ONCE));

        fixture.session().connectionLost();
        fixture.turn();

        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void keepsNewerConnectionWhenOlderOneOfTheClientEnds() {
        fixture.connect(Connects.v5().durable());
        long old = fixture.connection();
        Session newer = fixture.session();
        fixture.sessions.add(old + 1, newer);
        fixture.sessions.addPersistent("c", newer);

        fixture.sessions.remove(old + 100, "c");

        assertThat(fixture.sessions.deliverQos0("c", 99, queued("of another session", QoS.AT_MOST_ONCE)))
                .isFalse();
        assertThat(fixture.sessions.deliverQos0("c", 100, queued("x", QoS.AT_MOST_ONCE)))
                .isTrue();
    }

    @Test
    void closesConnectionsThatTheirOwnerDoesNotName() {
        fixture.connect(Connects.v5().durable());
        long connection = fixture.connection();

        fixture.sessions.onlyTheseAttached(_ -> true, _ -> false, 100); // its Attach is at 101
        fixture.sessions.onlyTheseAttached(_ -> false, _ -> false, 101);
        fixture.sessions.onlyTheseAttached(_ -> true, number -> number == connection, 101);
        fixture.turn();
        assertThat(fixture.sessions.size()).isEqualTo(1);

        fixture.sessions.onlyTheseAttached(_ -> true, _ -> false, 101);
        fixture.turn();
        assertThat(fixture.sessions.size()).isZero();
        assertThat(fixture.sink.take(Disconnect.class))
                .extracting(Disconnect::reason)
                .containsExactly(ReasonCode.SESSION_TAKEN_OVER);
    }

    @Test
    void givesEachConnectionANumberOfItsOwn() {
        LocalSessions sessions = new LocalSessions();

        assertThat(sessions.nextConnection()).isNotEqualTo(sessions.nextConnection());
    }

    @Test
    void countsSessionsFromAttachOn() {
        fixture.session();
        assertThat(fixture.sessions.size()).isZero();

        fixture.connect(Connects.v5());

        assertThat(fixture.sessions.size()).isEqualTo(1);
    }

    @Test
    void knowsMessagesInFlightOfConnectedSessionsOnly() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("x", QoS.AT_LEAST_ONCE));

        assertThat(fixture.sessions.inFlight(new Subscriber("c", false, fixture.connection())))
                .isEqualTo(1);
        assertThat(fixture.sessions.inFlight(new Subscriber("other", true, 1))).isEqualTo(-1);
    }

    @Test
    void hasOneMailboxForEachLoop() {
        LocalSessions sessions = new LocalSessions();

        assertThat(sessions.mailbox(fixture.loop.eventLoop())).isSameAs(sessions.mailbox(fixture.loop.eventLoop()));
    }
}
