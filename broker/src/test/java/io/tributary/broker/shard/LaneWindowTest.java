package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneWindowTest {
    private static final int UNLIMITED = 1 << 20;

    @ParameterizedTest
    @CsvSource({
        "1000, 10000, false, 1000",
        "1000, 10000, true, 1000",
        "1000, 1000, false, 500",
        "1000, 1000, true, 125",
        "1000, 33, false, 16",
        "1000, 20, false, 16",
        "1000, 1, false, 16",
        "1000, 1, true, 4",
        "3, 10, false, 3"
    })
    void hasRoomForPartOfTheQueueOnly(int window, int queue, boolean isHigher, int room) {
        ShardConfig config = DeliveryFixture.config(window, new QueueLimits(queue, UNLIMITED, Overflow.DROP_OLDEST));
        LaneWindow lane = queue(config, isHigher);
        assertThat(lane.roomForMessages()).isEqualTo(room);
        for (int i = 0; i < room; i++) {
            assertThat(lane.hasRoom()).isTrue();
            lane.put(0);
        }
        assertThat(lane.hasRoom()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"false, 512", "true, 129"})
    void hasRoomForPartOfTheBytesOnlyButForOneMessageInAnyCase(boolean isHigher, int size) {
        ShardConfig config = DeliveryFixture.config(9, new QueueLimits(100, 1024, Overflow.DROP_OLDEST));
        LaneWindow lane = queue(config, isHigher);
        assertThat(lane.hasRoom()).isTrue();
        lane.put(size - 2);
        assertThat(lane.hasRoom()).isTrue();
        lane.put(2);
        assertThat(lane.hasRoom()).isFalse();
        lane.take(size - 2);
        lane.take(2);
        lane.put(1 << 20);
        assertThat(lane.hasRoom()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1000, 1, 1000", "7, 10000, 7"})
    void hasRoomForWholeWindowWhenItIsOfTopic(int window, int queue, int room) {
        ShardConfig config = DeliveryFixture.config(window, new QueueLimits(queue, UNLIMITED, Overflow.DROP_OLDEST));
        assertThat(LaneWindow.ofTopic(config, memory(config)).roomForMessages()).isEqualTo(room);
    }

    private static LaneWindow queue(ShardConfig config, boolean isHigher) {
        return isHigher ? LaneWindow.ofHigher(config, memory(config)) : LaneWindow.ofQueue(config, memory(config));
    }

    private static DeliveryMemory.Part memory(ShardConfig config) {
        return new DeliveryMemory(config.deliveryBytes()).part();
    }
}
