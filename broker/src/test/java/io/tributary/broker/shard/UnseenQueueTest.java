package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.Messages;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnseenQueueTest {
    private static final int MIB = 1 << 20;

    private final DeliveryMemory memory = new DeliveryMemory(64 * MIB);
    private final UnseenQueue unseen = new UnseenQueue(memory.part());
    private final Queued entry = new Queued(message("1"), QoS.AT_LEAST_ONCE, false, List.of(), null);

    @Test
    void messagesTakeWhatTheyTakeInTheHeap() {
        Queued costly =
                new Queued(Messages.withUserProperties(1_000, message("1")), QoS.AT_LEAST_ONCE, false, List.of(), null);
        for (int sequence = 1; sequence <= 10; sequence++) {
            unseen.queued(sequence, costly, true, true);
        }
        assertThat(memory.used()).isGreaterThan(1_200_000);
        unseen.ended();
        assertThat(memory.used()).isLessThan(MIB / 2);
    }

    @Test
    void newestThatAreDroppedBehindAStuckClientTakeNoMoreAndMore() {
        unseen.queued(1, entry, true, true);
        long most = 0;
        for (long sequence = 2; sequence <= MIB; sequence++) {
            unseen.queued(sequence, entry, true, true);
            unseen.gone(sequence);
            most = Math.max(most, memory.used());
        }
        assertThat(most).isBetween((long) MIB, 2L * MIB);
        unseen.queued(MIB + 1, entry, true, true);
        assertThat(unseen.keeps(MIB + 1)).isTrue();
        assertThat(unseen.take(MIB + 1)).isEqualTo(entry);
        assertThat(unseen.keeps(1)).as("is read from the store").isFalse();
        unseen.ended();
        assertThat(memory.used()).isLessThan(MIB);
    }
}
