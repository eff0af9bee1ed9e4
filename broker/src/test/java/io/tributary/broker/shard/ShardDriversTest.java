package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShardDriversTest {
    @Test
    void shardsInARowHaveOneThread() {
        assertThat(threads(8, 3)).containsExactly(0, 0, 0, 1, 1, 1, 2, 2);
        assertThat(threads(24, 2)).isSorted().containsOnly(0, 1);
        assertThat(threads(3, 3)).containsExactly(0, 1, 2);
        assertThat(ShardDrivers.threadOf(16_383, 16_384, 64)).isEqualTo(63);
    }

    private static List<Integer> threads(int shards, int threads) {
        return IntStream.range(0, shards)
                .map(shard -> ShardDrivers.threadOf(shard, shards, threads))
                .boxed()
                .toList();
    }
}
