package io.tributary.common.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PacketIdSetTest {
    @Test
    void isTheSameAsASortedSet() {
        Random random = new Random(7);
        PacketIdSet set = new PacketIdSet(9, 65_535, 3);
        TreeSet<Integer> expected = new TreeSet<>(List.of(3, 9, 65_535));

        for (int round = 0; round < 4_000; round++) {
            int packetId = 1 + random.nextInt(300);
            boolean adds = random.nextInt(100) < (round < 2_000 ? 70 : 30);
            assertThat(adds ? set.add(packetId) : set.remove(packetId))
                    .isEqualTo(adds ? expected.add(packetId) : expected.remove(packetId));
            assertThat(set.contains(packetId)).isEqualTo(adds);
            assertThat(set.size()).isEqualTo(expected.size());
        }

        assertThat(set.toArray())
                .containsExactly(expected.stream().mapToInt(Integer::intValue).toArray());
    }

    @Test
    void isEmptyWhenTheLastIsRemoved() {
        PacketIdSet set = new PacketIdSet();
        assertThat(set.remove(1)).isFalse();
        set.add(1);

        assertThat(set.remove(1)).isTrue();

        assertThat(set.size()).isZero();
        assertThat(set.toArray()).isEmpty();
        assertThat(set.contains(1)).isFalse();
    }
}
