package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.message;
import static io.tributary.broker.connection.ConnectionFixture.publish;
import static io.tributary.broker.connection.ConnectionFixture.queued;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.fake.Messages;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.thread.RoomQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PublisherHoldTest {
    private static final int MOST = 8;

    private final ConnectionFixture fixture = new ConnectionFixture();
    private final List<RoomQueue> holds = new ArrayList<>();
    private int released;

    @BeforeEach
    void connect() {
        outbound(new OutboundLimits(2, 0, MOST, 100_000, Overflow.HOLD_PUBLISHERS));
    }

    @Test
    void publishersWaitFromHalfOfTheMessagesToAQuarter() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST / 2);
        fixture.turn();
        assertThat(holds).isEmpty();
        offer("m", 1);
        await();
        fixture.turn();
        assertThat(released).isZero();
        fixture.sink.writable = true;
        fixture.connection().onWritable();
        assertThat(released).isEqualTo(1);
        assertThat(fixture.sink.take(Publish.class)).hasSize(MOST / 2 + 1);
        offer("m", 1);
        assertThat(holds).hasSize(1);
    }

    @Test
    void messagesThatTheEventLoopHasNotTakenCount() {
        fixture.connect(Connects.v5());
        offer("m", MOST / 2 + 1);
        await();
        assertThat(released).isZero();
        fixture.turn();
        assertThat(released).isEqualTo(1);
    }

    @Test
    void bytesCountAsWell() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("x".repeat(49_000), 1);
        assertThat(holds).isEmpty();
        offer("x".repeat(1_000), 1);
        await();
    }

    @Test
    void messageThatIsMoreThanHalfOfTheLimitHoldsItsPublisherUntilItIsSent() {
        fixture.connect(Connects.v5());
        offer("x".repeat(60_000), 1);
        await();
        assertThat(released).isZero();
        fixture.turn();
        assertThat(released).isEqualTo(1);
    }

    @Test
    void publisherGoesOnWhenTheMessageThatHeldItIsDropped() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("x".repeat(10_000), 1);
        fixture.turn();
        offer("x".repeat(95_000), 1);
        await();
        fixture.turn();
        assertThat(fixture.recorder.dropped).hasSize(1);
        fixture.pass(Duration.ofSeconds(10));
        assertThat(released).isEqualTo(1);
    }

    @Test
    void publishersWaitWhileTheEventLoopTakesNothingThoughTheirMessagesAreDropped() {
        fixture.connect(Connects.v5());
        offer("x".repeat(60_000), 2); // the second finds no room even in the inbox
        assertThat(holds).hasSize(2);
        assertThat(fixture.recorder.dropped).hasSize(1);
    }

    @Test
    void inboxTakesNoMoreThanTheHeapHasRoomFor() {
        fixture.connect(Connects.v5());
        for (int i = 0; i < 20; i++) {
            offer(queued(Messages.withUserProperties(100, message("topic", "m", QoS.AT_MOST_ONCE))));
        }
        assertThat(fixture.recorder.dropped).hasSizeBetween(12, 19);
    }

    @Test
    void publishersWaitForAcknowledgementsOfAWindowThatIsFull() {
        fixture.connect(Connects.v5());
        for (int i = 0; i < MOST - 1; i++) {
            offer(queued("m", QoS.AT_LEAST_ONCE)); // two of them are sent
            fixture.turn();
        }
        await();
        assertThat(released).isZero();
        for (int i = 1; released == 0 && i < MOST; i++) {
            fixture.send(new Puback(i, ReasonCode.SUCCESS, null, List.of()));
        }
        assertThat(fixture.sink.take(Publish.class)).hasSize(MOST - 1 - MOST / 4);
    }

    @Test
    void nobodyWaitsForAClientThatTakesNothing() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST / 2 + 1);
        await();
        fixture.turn();
        fixture.pass(Duration.ofMillis(9_999));
        assertThat(released).isZero();
        fixture.pass(Duration.ofMillis(1));
        assertThat(released).isEqualTo(1);
        holds.clear();
        offer("m", MOST);
        fixture.turn();
        assertThat(holds).isEmpty();
        assertThat(fixture.recorder.dropped).hasSize(MOST / 2 + 1);
        fixture.sink.writable = true;
        fixture.connection().onWritable(); // it takes messages again
        fixture.sink.writable = false;
        offer("m", MOST / 2 + 1);
        assertThat(holds).hasSize(1);
    }

    @Test
    void messagesThatGiveWayToThoseOfAHigherPriorityCountNoMore() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST);
        fixture.turn();
        for (int i = 0; i < MOST / 2; i++) {
            offer(queued("urgent", QoS.AT_MOST_ONCE, 1));
        }
        fixture.turn();
        assertThat(fixture.recorder.dropped).hasSize(MOST / 2);
        await();
        fixture.sink.writable = true;
        fixture.connection().onWritable();
        assertThat(released).isEqualTo(1);
        assertThat(fixture.sink.take(Publish.class)).hasSize(MOST);
        holds.clear();
        offer("m", MOST / 2);
        assertThat(holds).isEmpty();
        offer("m", 1);
        assertThat(holds).hasSize(1);
    }

    @Test
    void messagesThatGiveWayDoNotLookAsIfTheClientTookThem() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST);
        fixture.turn();
        await();
        fixture.pass(Duration.ofSeconds(9));
        offer(queued("urgent", QoS.AT_MOST_ONCE, 1));
        fixture.turn();
        fixture.pass(Duration.ofSeconds(1));
        assertThat(released).isEqualTo(1);
    }

    @Test
    void publishersGoOnWhenALargeMessageThatHeldThemGivesWay() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("x".repeat(90_000), 1);
        fixture.turn();
        await();
        offer(queued("u".repeat(20_000), QoS.AT_MOST_ONCE, 1));
        fixture.turn();
        assertThat(fixture.recorder.dropped).hasSize(1);
        fixture.pass(Duration.ofSeconds(10));
        assertThat(released).isEqualTo(1);
    }

    @Test
    void clientThatTakesMessagesSlowlyIsWaitedForAsLongAsItNeeds() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST);
        await();
        fixture.turn();
        for (int i = 0; i < MOST - MOST / 4 - 1; i++) {
            fixture.pass(Duration.ofSeconds(9));
            fixture.sink.writableFor = 1;
            fixture.connection().onWritable();
            assertThat(released).isZero();
        }
        fixture.pass(Duration.ofSeconds(9));
        fixture.sink.writableFor = 1;
        fixture.connection().onWritable();
        assertThat(released).isEqualTo(1);
    }

    @Test
    void publishersGoOnWhenTheirSubscriberIsGone() {
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST);
        await();
        fixture.connection().connectionLost();
        assertThat(released).isEqualTo(1);
    }

    @Test
    void nobodyWaitsWhereMessagesAreDropped() {
        outbound(new OutboundLimits(2, 0, MOST, 100_000, Overflow.DROP_NEWEST));
        fixture.connect(Connects.v5());
        fixture.sink.writable = false;
        offer("m", MOST + 1);
        assertThat(holds).isEmpty();
    }

    @Test
    void publisherThatIsHeldIsNotRead() {
        fixture.connect(Connects.v5());
        RoomQueue room = new RoomQueue(_ -> {});
        fixture.backend.hold = room;
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.backend.routed).hasSize(1);
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.recorder.paused).endsWith(PauseReason.SLOW_SUBSCRIBER);
        assertThat(room.size()).isEqualTo(1);
        fixture.connection().connectionLost();
        assertThat(room.size()).isZero();
    }

    @Test
    void publisherThatIsHeldGoesOnWhenThereIsRoom() {
        fixture.connect(Connects.v5());
        List<Runnable> untilRoom = new ArrayList<>();
        fixture.backend.hold = new RoomQueue(untilRoom::add);
        fixture.send(publish(QoS.AT_LEAST_ONCE, 1));
        fixture.sink.takeOnly(Puback.class);
        assertThat(fixture.connection().mayRead()).isFalse();
        untilRoom.forEach(Runnable::run);
        fixture.turn();
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void publisherWaitsForAllClientsThatCannotKeepUp() {
        fixture.connect(Connects.v5());
        List<Runnable> first = new ArrayList<>();
        List<Runnable> second = new ArrayList<>();
        fixture.backend.hold = new RoomQueue(first::add);
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.backend.hold = new RoomQueue(second::add);
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        first.forEach(Runnable::run);
        fixture.turn();
        assertThat(fixture.connection().mayRead()).isFalse();
        second.forEach(Runnable::run);
        fixture.turn();
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void publisherThatWaitsIsReadWhenItIsToAcknowledgeMessages() {
        fixture.connect(Connects.v5());
        RoomQueue room = new RoomQueue(_ -> {});
        fixture.backend.hold = room;
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.deliver(queued("m", QoS.AT_MOST_ONCE));
        assertThat(fixture.connection().mayRead()).isFalse();
        fixture.deliver(queued("m", QoS.AT_LEAST_ONCE));
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(room.size()).isZero();
    }

    @Test
    void publisherThatOwesAcknowledgementsIsReadAllTheSame() {
        fixture.connect(Connects.v5());
        fixture.deliver(queued("m", QoS.AT_LEAST_ONCE));
        fixture.backend.hold = new RoomQueue(_ -> {});
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    private void outbound(OutboundLimits outbound) {
        fixture.limits = new ClientLimits(
                ClientLimits.DEFAULT.packets(), ConnectLimits.DEFAULT, InboundLimits.DEFAULT, outbound);
    }

    private void offer(String text, int count) {
        for (int i = 0; i < count; i++) {
            offer(queued(text, QoS.AT_MOST_ONCE));
        }
    }

    private void offer(Queued message) {
        fixture.backend.connections.deliverTransient(fixture.connectionNumber(), message, holds::add);
    }

    /** Waits as a publisher for the client that it was told of last. */
    private void await() {
        Runnable _ = holds.getLast().await(() -> released++);
    }
}
