package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.delivery;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static io.tributary.broker.connection.ConnectionFixture.shared;
import static io.tributary.broker.connection.ConnectionFixture.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Messages of several priorities on their way to one client. */
class OutboundFlowPriorityTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test
    void messageOfAHigherPriorityLeavesBeforeThoseThatWait() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(1, 0));
        fixture.deliver(qos1(2, 0), qos1(3, 1));
        fixture.deliver(qos1(4, 3), qos1(5, 1), qos1(6, 3), qos1(7, 0));
        for (int id : List.of(1, 4, 6, 3, 5, 2, 7)) {
            assertThat(fixture.sink.take(Publish.class))
                    .extracting(Publish::packetId)
                    .containsExactly(id);
            fixture.send(puback(id));
        }
        assertThat(fixture.backend.settledSequences()).containsExactly(1, 4, 6, 3, 5, 2, 7);
        assertThat(fixture.recorder.inFlight).isZero();
    }

    @Test
    void messagesThatComeOutOfOrderAreAllSentAndAcknowledged() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(500, 3), qos1(100, 0), qos1(501, 2), qos1(7, 1), qos1(101, 0));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m500", "m501", "m7", "m100", "m101");
        for (int id : List.of(101, 500, 7, 501, 100)) {
            fixture.send(puback(id));
        }
        assertThat(fixture.backend.settledSequences()).containsExactly(101, 500, 7, 501, 100);
    }

    @Test
    void messageWaitsForOneInFlightThatHasItsPacketIdentifier() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(65_536, 3));
        fixture.deliver(qos1(1, 0), qos1(2, 0));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m65536");
        fixture.send(puback(1));
        assertThat(fixture.backend.settledSequences()).containsExactly(65_536);
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m1", "m2");
    }

    /** The client may know the identifier from an earlier connection, and would take the message for that one. */
    @Test
    void messageDoesNotOvertakeOneThatHasItsPacketIdentifier() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(100, 1));
        fixture.deliver(qos1(101, 0), released(1_000), qos1(101 + 65_535, 3), qos1(101 + 65_536, 3));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m100");
        fixture.send(puback(100));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(1_000);
        fixture.send(pubcomp(1_000));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m101");
        fixture.send(puback(101));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m65636");
        fixture.send(puback(101));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m65637");
    }

    @Test
    void tellsByPriorityWhatWasSentWhenConnectionEnds() {
        fixture.connect(Connects.v5().durable().receiveMaximum(3));
        fixture.deliver(qos1(1, 0), qos1(2, 0));
        fixture.deliver(qos1(7, 3), qos1(3, 0), qos1(4, 0));
        fixture.connection().connectionLost();
        assertThat(sentUpTo()).isEqualTo(SentUpTo.of(2, 2, 2, 7));
    }

    @Test
    void tellsOneNumberWhereThereAreNoPriorities() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(1, 0), qos1(2, 0));
        fixture.connection().connectionLost();
        assertThat(sentUpTo()).isEqualTo(SentUpTo.all(2));
    }

    @Test
    void doesNotTellThatAMessageWasSentThatWasDropped() {
        fixture.connect(Connects.v5().durable().maximumPacketSize(100));
        fixture.deliver(
                qos1(1, 0),
                new Delivery(5, queued("L".repeat(100), QoS.AT_LEAST_ONCE, 2), false),
                new Delivery(4, queued("L".repeat(100), QoS.AT_LEAST_ONCE, 0), false));
        fixture.connection().connectionLost();
        assertThat(fixture.backend.settledSequences()).containsExactly(5, 4);
        assertThat(sentUpTo()).isEqualTo(SentUpTo.all(1));
    }

    @Test
    void tellsNothingOfAPubrel() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(9, 3), qos1(2, 0), released(5));
        fixture.connection().connectionLost();
        assertThat(sentUpTo()).isEqualTo(SentUpTo.of(2, 2, 2, 9));
    }

    @Test
    void tellsNothingOfATransientSession() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("a", QoS.AT_LEAST_ONCE, 2));
        fixture.connection().connectionLost();
        assertThat(sentUpTo()).isEqualTo(SentUpTo.NOTHING);
    }

    // A new owner hands the whole queue, from its beginning, as its priorities order it.

    @Test
    void sendsNothingAgainWhenNewOwnerRepeatsWhatWaitsAndIsInFlight() {
        fixture.connect(Connects.v5().durable().receiveMaximum(3));
        fixture.deliver(qos1(1, 0), qos1(2, 0), qos2(8, 3));
        fixture.deliver(qos2(9, 3), qos1(10, 1), qos1(3, 0));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m8", "m1", "m2");

        fixture.deliver(qos2(8, 3), qos2(9, 3), qos1(10, 1), qos1(1, 0), qos1(2, 0), qos1(3, 0));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settled).isEmpty();
        fixture.send(puback(1));
        fixture.send(puback(2));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m9", "m10");
        fixture.send(puback(10));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m3");
    }

    @Test
    void takesWhatNewOwnerHandsForTheFirstTime() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(1, 0), qos1(20, 3));
        fixture.sink.take();

        fixture.deliver(qos1(20, 3), qos1(21, 3), qos1(5, 1), qos1(1, 0), qos1(2, 0), qos1(19, 0));

        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m21", "m5", "m2", "m19");
    }

    @Test
    void repeatsAcknowledgementsOfAllPriorities() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(8, 3), qos2(9, 2), qos1(1, 0), qos2(2, 0));
        fixture.send(puback(8));
        fixture.send(puback(1));
        fixture.send(pubrec(9));
        fixture.send(pubrec(2));
        fixture.sink.take();
        fixture.backend.settled.clear();
        fixture.backend.received.clear();

        fixture.deliver(qos1(8, 3), qos2(9, 2), qos1(1, 0), qos2(2, 0));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settledSequences()).containsExactly(8, 1);
        assertThat(fixture.backend.received.getFirst().sequences()).containsExactly(9, 2);
    }

    @Test
    void sendsPubrelOnceWhenNewOwnerKnowsOfPubrec() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos2(9, 2), qos1(1, 0));
        fixture.send(pubrec(9));
        fixture.sink.take();

        fixture.deliver(qos1(1, 0), released(9));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(9);
        fixture.deliver(qos1(1, 0), released(9));
        receivedLogged(9);

        assertThat(fixture.sink.take()).isEmpty();
        fixture.send(pubcomp(9));
        assertThat(fixture.backend.settledSequences()).containsExactly(9);
        assertThat(fixture.recorder.inFlight).isEqualTo(1);
    }

    @Test
    void sendsNoPubrelAgainWhenItIsInFlight() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos2(9, 2), qos1(1, 0));
        fixture.send(pubrec(9));
        receivedLogged(9);
        fixture.sink.take();

        fixture.deliver(qos1(1, 0), released(9));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.recorder.inFlight).isEqualTo(2);
    }

    @Test
    void sendsPubrelAgainWhenNewOwnerDoesNotKnowOfPubcomp() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos2(9, 2), qos1(1, 0));
        fixture.send(pubrec(9));
        receivedLogged(9);
        fixture.send(pubcomp(9));
        fixture.sink.take();
        fixture.backend.settled.clear();

        fixture.deliver(qos1(1, 0), released(9), qos1(10, 0));
        assertThat(fixture.sink.take()).hasSize(2).first().isInstanceOf(Pubrel.class);
        fixture.send(pubcomp(9));
        assertThat(fixture.backend.settledSequences()).containsExactly(9);
        fixture.deliver(qos1(1, 0), released(9), qos1(10, 0));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settledSequences()).containsExactly(9, 9);
    }

    @Test
    void sendsPubrelAgainThoughMessagesBeforeAndBehindItWait() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos2(9, 2), qos1(4, 1), qos1(5, 1), qos1(12, 1));
        fixture.send(pubrec(9));
        receivedLogged(9);
        fixture.send(pubcomp(9));
        fixture.backend.settled.clear();

        fixture.deliver(qos1(4, 1), qos1(5, 1), qos1(12, 1), released(9));
        fixture.sink.take();
        fixture.send(puback(4));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(9);
        fixture.send(pubcomp(9));
        fixture.send(puback(5));
        fixture.send(puback(12));
        assertThat(fixture.backend.settledSequences()).containsExactly(4, 9, 5, 12);
    }

    @Test
    void settlesPubrelThatIsDoneWithWhenLaterOnesOfTheLowestPriorityWereHere() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos2(9, 2), qos1(1, 0), qos1(10, 0));
        fixture.send(pubrec(9));
        receivedLogged(9);
        fixture.send(pubcomp(9));
        fixture.sink.take();
        fixture.backend.settled.clear();

        fixture.deliver(qos1(1, 0), released(9), qos1(10, 0));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settledSequences()).containsExactly(9);
    }

    /** Its PUBREC came on an earlier connection, and was not in the log yet when it was handed. */
    @Test
    void keepsMessageThatWaitsWhenNewOwnerKnowsOfPubrec() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(1, 0));
        fixture.deliver(qos1(7, 3), new Delivery(9, queued("m9", QoS.EXACTLY_ONCE, 2), true), qos1(10, 0));
        fixture.sink.take();

        fixture.deliver(qos1(7, 3), qos1(1, 0), released(9), qos1(10, 0), qos1(11, 0));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.backend.settled).isEmpty();
        fixture.send(puback(1));
        fixture.send(puback(7));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m7", "m9");
        fixture.send(pubrec(9));
        receivedLogged(9);
        fixture.sink.takeOnly(Pubrel.class);
        fixture.send(pubcomp(9));
        fixture.send(puback(10));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m10", "m11");
        assertThat(fixture.backend.settledSequences()).containsExactly(1, 7, 9, 10);
    }

    @Test
    void sendsPubrelThatWaitsOnceWhenNewOwnerRepeatsIt() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(1, 0), released(4), qos1(5, 0));
        fixture.sink.take();

        fixture.deliver(qos1(1, 0), released(4), qos1(5, 0));

        fixture.send(puback(1));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(4);
        fixture.send(pubcomp(4));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m5");
        assertThat(fixture.backend.settledSequences()).containsExactly(1, 4);
    }

    @Test
    void pubrelGoesBeforeMessagesThatWaitAndAreBehindItInTheQueue() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(9, 3), qos1(10, 3));
        fixture.deliver(released(7));
        fixture.sink.take();
        fixture.send(puback(9));
        assertThat(fixture.sink.takeOnly(Pubrel.class).packetId()).isEqualTo(7);
        fixture.send(pubcomp(7));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("m10");
    }

    // Messages that wait in memory.

    @Test
    void numbersMessagesOfATransientSessionAsTheyAreSent() {
        fixture.connect(Connects.v5().receiveMaximum(1));
        for (int priority : new int[] {0, 0, 2, 1, 2}) {
            fixture.deliver(queued("p" + priority, QoS.AT_LEAST_ONCE, priority));
        }
        for (int id = 1; id <= 4; id++) {
            fixture.send(puback(id));
        }
        List<Publish> sent = fixture.sink.take(Publish.class);
        assertThat(texts(sent)).containsExactly("p0", "p2", "p2", "p1", "p0");
        assertThat(sent).extracting(Publish::packetId).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void messageOfAHigherPriorityIsKeptWhenMessagesAreDropped() {
        fixture.limits = new ClientLimits(
                ClientLimits.DEFAULT.packets(),
                ConnectLimits.DEFAULT,
                InboundLimits.DEFAULT,
                new OutboundLimits(1, 0, 2, 1_000, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        for (QoS qos : List.of(QoS.AT_MOST_ONCE, QoS.AT_LEAST_ONCE)) {
            fixture.deliver(queued("a", qos, 0));
            fixture.deliver(queued("b", qos, 0));
            fixture.deliver(queued("urgent", qos, 1));
            fixture.deliver(queued("c", qos, 0));
        }
        fixture.sink.writable = true;
        fixture.connection().onWritable();
        fixture.send(puback(1));
        assertThat(texts(fixture.sink.take(Publish.class))).containsExactly("urgent", "urgent", "a", "a");
        assertThat(fixture.recorder.dropped).containsOnly(DropReason.QUEUE_FULL).hasSize(4);
    }

    @Test
    void lendsIdentifiersThatThoseWhichWaitNeedLast() {
        fixture.connect(Connects.v5().durable().receiveMaximum(3));
        fixture.deliver(qos1(600, 3), qos1(601, 3));
        fixture.sink.writable = false;
        fixture.deliver(qos1(500, 0), qos1(501, 0));
        List<String> replies = new ArrayList<>();
        fixture.connection().share(shared("shared", QoS.AT_LEAST_ONCE), false, new Noting(replies));
        fixture.sink.take();
        fixture.sink.writable = true;
        fixture.connection().onWritable();
        fixture.send(puback(600));
        fixture.send(puback(601));

        List<Publish> sent = fixture.sink.take(Publish.class);
        assertThat(texts(sent)).containsExactly("shared", "m500", "m501");
        int lent = sent.getFirst().packetId();
        assertThat(lent).isEqualTo(498);
        fixture.send(puback(lent));
        assertThat(replies).containsExactly("done");
    }

    @Test
    void settlesAgainWhatIsSettledThoughAPubrelBeforeItWaits() {
        fixture.connect(Connects.v5().durable().receiveMaximum(1));
        fixture.deliver(qos1(9, 3), qos1(10, 3));
        fixture.send(puback(9));
        fixture.deliver(released(7));
        fixture.backend.settled.clear();
        fixture.deliver(released(7), qos1(9, 3), qos1(10, 3)); // a new owner
        assertThat(fixture.backend.settledSequences()).containsExactly(9);
    }

    @Test
    void lendsIdentifiersBeforeTheHighestThatWasSentWhenNothingWaits() {
        fixture.connect(Connects.v5().durable());
        fixture.deliver(qos1(600, 3), qos1(500, 0));
        fixture.sink.take();
        fixture.connection().share(shared("shared", QoS.AT_LEAST_ONCE), false, new Noting(new ArrayList<>()));
        assertThat(fixture.sink.takeOnly(Publish.class).packetId()).isEqualTo(599);
    }

    private SentUpTo sentUpTo() {
        Detach detach = fixture.backend.detaches.getLast();
        return Objects.requireNonNull(detach.sentUpTo());
    }

    private void receivedLogged(long sequence) {
        fixture.backend.connections.receivedLogged(fixture.connectionNumber(), new long[] {sequence});
        fixture.turn();
    }

    private static Delivery qos1(long sequence, int priority) {
        return delivery(sequence, QoS.AT_LEAST_ONCE, priority);
    }

    private static Delivery qos2(long sequence, int priority) {
        return delivery(sequence, QoS.EXACTLY_ONCE, priority);
    }

    private static Delivery released(long sequence) {
        return new Delivery(sequence, new Released(), true);
    }

    private static MqttPacket puback(int packetId) {
        return new Puback(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private static MqttPacket pubrec(int packetId) {
        return new Pubrec(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private static MqttPacket pubcomp(int packetId) {
        return new Pubcomp(packetId, ReasonCode.SUCCESS, null, List.of());
    }

    private record Noting(List<String> replies) implements MemberReply {
        @Override
        public void done() {
            replies.add("done");
        }

        @Override
        public void returned(boolean maybeSent) {
            replies.add("returned");
        }
    }
}
