package io.tributary.broker.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tributary.broker.connection.AckQueue.Slot;
import io.tributary.broker.connection.OutboundLimits.Overflow;
import io.tributary.broker.fake.Allocated;
import io.tributary.broker.loop.TokenBucket;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The small parts of a session, each for itself. */
class ConnectionPartsTest {

    @Test // [MQTT-2.2.1-4]
    void packetIdentifiersAreNeverZero() {
        assertThat(PacketIds.of(1)).isEqualTo(1);
        assertThat(PacketIds.of(65_535)).isEqualTo(65_535);
        assertThat(PacketIds.of(65_536)).isEqualTo(1);
        assertThat(PacketIds.of(1L << 40)).isBetween(1, 65_535);
    }

    /** Another test may have had the line of this minute. */
    @Test
    void connectionThatFailsWithEachPacketIsNotLoggedAtEach() {
        ConnectionContext context = new ConnectionFixture().context();
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ConnectionContext.class);
        logger.addAppender(log);
        try {
            for (int i = 0; i < 100; i++) {
                context.guard(() -> {
                    throw new StackOverflowError();
                });
            }
            assertThat(log.list.stream().filter(line -> line.getLevel() == Level.ERROR))
                    .hasSizeLessThan(3);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void clientIdentifiersDiffer() {
        Set<String> identifiers = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            identifiers.add(ClientIdentifiers.random());
        }

        assertThat(identifiers).hasSize(1_000);
    }

    @Test
    void tokenBucketLetsBurstThroughAndThenItsRate() {
        TokenBucket bucket = new TokenBucket(10, 3, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(bucket.tryTake(0)).isTrue();
        }

        assertThat(bucket.tryTake(0)).isFalse();
        assertThat(bucket.tryTake(Duration.ofMillis(99).toNanos())).isFalse();
        assertThat(bucket.tryTake(Duration.ofMillis(101).toNanos())).isTrue();
    }

    @Test
    void tokenBucketTellsHowLongToWaitWhenItIsInDebt() {
        TokenBucket bucket = new TokenBucket(10, 1, 0);

        assertThat(bucket.take(0)).isZero();
        assertThat(bucket.take(0)).isEqualTo(Duration.ofMillis(100).toNanos());
        assertThat(bucket.take(0)).isEqualTo(Duration.ofMillis(200).toNanos());
    }

    @Test
    void tokenBucketHoldsNoMoreThanItsBurst() {
        TokenBucket bucket = new TokenBucket(10, 2, 0);
        long later = Duration.ofHours(1).toNanos();

        assertThat(bucket.tryTake(later)).isTrue();
        assertThat(bucket.tryTake(later)).isTrue();
        assertThat(bucket.tryTake(later)).isFalse();
    }

    @Test // [MQTT-4.6.0-2]
    void ackQueueWritesInOrderOfReservation() {
        List<Integer> written = new ArrayList<>();
        AckQueue queue = new AckQueue((slot, reason) -> written.add(slot.packetId()));
        Slot first = queue.reserve(1, QoS.AT_LEAST_ONCE);
        Slot second = queue.reserve(2, QoS.AT_LEAST_ONCE);
        Slot third = queue.reserve(3, QoS.AT_LEAST_ONCE);

        third.fill(ReasonCode.SUCCESS, null);
        first.fill(ReasonCode.SUCCESS, null);
        assertThat(written).containsExactly(1);
        second.fill(ReasonCode.SUCCESS, null);

        assertThat(written).containsExactly(1, 2, 3);
        assertThat(queue.size()).isZero();
    }

    @Test
    void inboundPacketIdentifiersOfEarlierConnectionsAreCountedApart() {
        InboundPacketIds ids = new InboundPacketIds(new int[] {3, 4});
        ids.put(5, InboundPacketIds.State.ROUTING);
        assertThat(ids.size()).isEqualTo(3);
        assertThat(ids.openedHere()).isEqualTo(1);

        ids.free(3);
        ids.put(3, InboundPacketIds.State.ROUTING);

        assertThat(ids.openedHere()).isEqualTo(2);
    }

    @Test
    void inboundPacketIdentifierHasOneStateAfterTheOther() {
        InboundPacketIds ids = new InboundPacketIds(new int[] {3});
        assertThat(ids.get(4)).isNull();
        ids.put(4, InboundPacketIds.State.ROUTING);
        assertThat(ids.get(4)).isEqualTo(InboundPacketIds.State.ROUTING);
        ids.put(4, InboundPacketIds.State.RECEIVED);
        for (int packetId : new int[] {3, 4}) {
            assertThat(ids.get(packetId)).isEqualTo(InboundPacketIds.State.RECEIVED);
            ids.put(packetId, InboundPacketIds.State.RELEASING);
            assertThat(ids.get(packetId)).isEqualTo(InboundPacketIds.State.RELEASING);
            ids.free(packetId);
            assertThat(ids.get(packetId)).isNull();
        }
        assertThat(ids.size()).isZero();
    }

    @Test
    void inboundPacketIdentifierIsFreeForAnotherMessageWhenItsMessageIsRefused() {
        InboundPacketIds ids = new InboundPacketIds(new int[0]);
        for (int i = 0; i < 2; i++) {
            ids.put(5, InboundPacketIds.State.ROUTING);
            ids.free(5);
            assertThat(ids.get(5)).isNull();
        }
        ids.put(5, InboundPacketIds.State.ROUTING);
        ids.put(5, InboundPacketIds.State.RECEIVED);
        assertThat(ids.get(5)).isEqualTo(InboundPacketIds.State.RECEIVED);
    }

    @Test
    void inboundPacketIdentifiersTakeLittleMemory() {
        InboundPacketIds ids = new InboundPacketIds(new int[0]);

        long bytes = Allocated.bytesBy(() -> {
            for (int packetId = 1; packetId <= 10_000; packetId++) {
                ids.put(packetId, InboundPacketIds.State.ROUTING);
                ids.put(packetId, InboundPacketIds.State.RECEIVED);
            }
        });

        assertThat(ids.size()).isEqualTo(10_000);
        assertThat(bytes).isLessThan(200_000);
    }

    @Test
    void readGateTellsOnceWhenLastReasonIsGone() {
        CountingRecorder recorder = new CountingRecorder();
        int[] opened = new int[1];
        PacketGate gate = new PacketGate(recorder, () -> opened[0]++);

        assertThat(gate.close(PauseReason.CONGESTED)).isTrue();
        assertThat(gate.close(PauseReason.CONGESTED)).isFalse();
        gate.close(PauseReason.SUBSCRIBING);
        gate.open(PauseReason.CONGESTED);
        assertThat(gate.isOpen()).isFalse();
        gate.open(PauseReason.SUBSCRIBING);
        gate.open(PauseReason.SUBSCRIBING);

        assertThat(gate.isOpen()).isTrue();
        assertThat(opened[0]).isEqualTo(1);
        assertThat(recorder.paused).containsExactly(PauseReason.CONGESTED, PauseReason.SUBSCRIBING);
    }

    @Test
    void readGateTellsOnceWhenSeveralReasonsGoTogether() {
        int[] opened = new int[1];
        PacketGate gate = new PacketGate(new CountingRecorder(), () -> opened[0]++);
        Set<PauseReason> held = Set.of(PauseReason.BEHIND, PauseReason.PUBLISHING, PauseReason.STORING);
        gate.close(PauseReason.BEHIND);
        gate.close(PauseReason.STORING);

        gate.open(held);
        gate.open(held);

        assertThat(gate.isOpen()).isTrue();
        assertThat(opened[0]).isEqualTo(1);
    }

    @Test
    void limitsRefuseWhatMakesNoSense() {
        assertInvalid(() -> new MessageRate(-1, 0, MessageRate.Policy.BACKPRESSURE));
        assertInvalid(() -> new MessageRate(1, 0, MessageRate.Policy.BACKPRESSURE));
        assertInvalid(() -> new InboundLimits(0, 0, 1, 1, false, MessageRate.UNLIMITED));
        assertInvalid(() -> new InboundLimits(1, 65_536, 1, 1, false, MessageRate.UNLIMITED));
        assertInvalid(() -> new InboundLimits(1, 0, 0, 1, false, MessageRate.UNLIMITED));
        assertInvalid(() -> new OutboundLimits(0, 0, 1, 1, Overflow.DROP_NEWEST));
        assertInvalid(() -> new OutboundLimits(1, -1, 1, 1, Overflow.DROP_NEWEST));
        assertInvalid(() -> new OutboundLimits(1, 0, 0, 1, Overflow.DROP_NEWEST));
        Duration second = Duration.ofSeconds(1);
        assertInvalid(() -> new ConnectLimits(Duration.ZERO, second, 23, 0, 0, null));
        assertInvalid(() -> new ConnectLimits(second, second, 22, 0, 0, null));
        assertInvalid(() -> new ConnectLimits(second, second, 23, 65_536, 0, null));
        assertInvalid(() -> new ConnectLimits(second, second, 23, 0, -1, null));
    }

    private static void assertInvalid(Runnable creation) {
        assertThatThrownBy(creation::run).isInstanceOf(IllegalArgumentException.class);
    }
}
