package io.tributary.broker.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacketIdsTest {
    @Test
    void identifiersAreUsedInTurnAndNeverZero() {
        assertThat(PacketIds.of(1)).isEqualTo(1);
        assertThat(PacketIds.of(65_535)).isEqualTo(65_535);
        assertThat(PacketIds.of(65_536)).isEqualTo(1);
    }

    @Test
    void sequenceNumberIsFoundBehindTheFirstOne() {
        assertThat(PacketIds.sequenceFrom(1, 1)).isEqualTo(1);
        assertThat(PacketIds.sequenceFrom(65_530, 65_535)).isEqualTo(65_535);
        assertThat(PacketIds.sequenceFrom(65_535, 1)).isEqualTo(65_536);
        assertThat(PacketIds.sequenceFrom(65_537, 1)).isEqualTo(2 * 65_535 + 1);
        for (long first = 200_000; first < 200_000 + PacketIds.COUNT; first += 1000) {
            for (long sequence = first; sequence < first + PacketIds.COUNT; sequence += 777) {
                assertThat(PacketIds.sequenceFrom(first, PacketIds.of(sequence)))
                        .isEqualTo(sequence);
            }
        }
    }
}
