package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SentUpToTest {
    private static final SentUpTo AHEAD = SentUpTo.of(2, 2, 2, 7);

    @Test
    void isOneNumberWhenAllPrioritiesAreTheSame() {
        assertThat(SentUpTo.of(5, 5, 5, 5)).isEqualTo(SentUpTo.all(5)).hasSameHashCodeAs(SentUpTo.all(5));
        assertThat(SentUpTo.of(5, 5, 5, 5).isOfAll()).isTrue();
        assertThat(SentUpTo.all(5)).hasToString("5");
        assertThat(AHEAD).hasToString("[2, 2, 2, 7]");
    }

    @Test
    void isNeverLessForAHigherPriorityThanForALowerOne() {
        assertThat(SentUpTo.of(5, 3, 9, 1)).isEqualTo(SentUpTo.of(5, 5, 9, 9)).isEqualTo(SentUpTo.of(5, 5, 9));
    }

    @Test
    void hasWhatOvertookOthersAndNotThese() {
        assertThat(AHEAD.has(7, 3)).isTrue();
        assertThat(AHEAD.has(8, 3)).isFalse();
        assertThat(AHEAD.has(3, 2)).isFalse();
        assertThat(AHEAD.has(2, 0)).isTrue();
        assertThat(AHEAD.lowest()).isEqualTo(2);
        assertThat(AHEAD.highest()).isEqualTo(7);
    }

    @Test
    void isMostOrLeastOfEachPriorityWhenCombined() {
        assertThat(AHEAD.or(SentUpTo.all(4))).isEqualTo(SentUpTo.of(4, 4, 4, 7));
        assertThat(AHEAD.and(SentUpTo.all(4))).isEqualTo(SentUpTo.of(2, 2, 2, 4));
        assertThat(SentUpTo.all(3).or(SentUpTo.all(4))).isEqualTo(SentUpTo.all(4));
        assertThat(SentUpTo.all(3).and(SentUpTo.NOTHING)).isEqualTo(SentUpTo.NOTHING);
    }

    @Test
    void isNotReadWhenThereAreTooManyPriorities() {
        ByteWriter writer = new ByteWriter(16);
        writer.writeNumbers(new long[] {1, 2, 3, 4});
        ByteReader reader = new ByteReader(writer.toBytes());
        assertThatThrownBy(() -> SentUpTo.readHigher(reader, 0)).isInstanceOf(UnreadableRecordException.class);
    }
}
