package io.tributary.common.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceMapTest {
    private final SequenceMap<String> map = new SequenceMap<>();

    @Test
    void isEmptyAtFirst() {
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.get(0)).isNull();
        assertThat(map.remove(1)).isNull();
        assertThat(map.values()).isEmpty();
        assertThatThrownBy(map::firstSequence).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(map::lastSequence).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void hasWhatWasPut() {
        assertThat(map.put(5, "five")).isNull();
        assertThat(map.put(6, "six")).isNull();
        assertThat(map.put(5, "FIVE")).isEqualTo("five");
        assertThat(map.get(5)).isEqualTo("FIVE");
        assertThat(map.containsKey(6)).isTrue();
        assertThat(map.containsKey(7)).isFalse();
        assertThat(map.size()).isEqualTo(2);
        assertThat(map.firstSequence()).isEqualTo(5);
    }

    @Test
    void keepsItsOrderWhateverComesFirst() {
        map.put(9, "9");
        map.put(3, "3");
        map.put(6, "6");
        map.put(1_000_000_000_000L, "last");
        map.put(-7, "first");
        assertThat(map.values()).containsExactly("first", "3", "6", "9", "last");
        assertThat(map.firstSequence()).isEqualTo(-7);
    }

    @Test
    void visitsFromANumberOnUntilItIsEnough() {
        for (int i = 1; i <= 9; i += 2) {
            map.put(i, "" + i);
        }
        map.remove(5);
        assertThat(seen(1, 9)).containsExactly("1", "3", "7", "9");
        assertThat(seen(4, 2)).containsExactly("7", "9");
        assertThat(seen(7, 1)).containsExactly("7");
        assertThat(seen(10, 9)).isEmpty();
    }

    private List<String> seen(long from, int most) {
        List<String> seen = new ArrayList<>();
        map.visitFrom(from, (sequence, value) -> {
            assertThat(value).isEqualTo("" + sequence);
            seen.add(value);
            return seen.size() < most;
        });
        return seen;
    }

    @Test
    void canBeUsedAgainWhenCleared() {
        for (int i = 0; i < 100; i++) {
            map.put(i, "" + i);
        }
        map.clear();
        assertThat(map.isEmpty()).isTrue();
        assertThat(map.get(5)).isNull();
        map.put(2, "2");
        assertThat(map.values()).containsExactly("2");
    }

    @Test
    void roomIsForWhatIsThereHoweverFarApart() {
        for (int i = 0; i < 100_000; i++) {
            map.put(i, "" + i);
            if (i >= 100) {
                map.remove(i - 99); // the first one stays
            }
        }
        assertThat(map.size()).isEqualTo(100);
        assertThat(map.firstSequence()).isZero();
        assertThat(map.room()).isLessThanOrEqualTo(256);
    }

    @Test
    void roomShrinksWhenMostIsGone() {
        for (int i = 0; i < 100_000; i++) {
            map.put(i, "" + i);
        }
        for (int i = 1; i < 100_000; i++) {
            map.remove(i);
        }
        for (int i = 0; i < 200_000; i++) {
            map.put(100_000 + i, "" + i);
            map.remove(100_000 + i - 1);
        }
        assertThat(map.size()).isEqualTo(2);
        assertThat(map.room()).isLessThanOrEqualTo(16);
    }

    @Test
    void roomIsGivenBackWhenAllIsGone() {
        for (int i = 0; i < 100; i++) {
            map.put(i, "" + i);
        }
        for (int i = 99; i >= 0; i--) {
            map.remove(i);
        }
        assertThat(map.room()).isZero();
    }

    /** Windows that are wide or narrow, emptied now and then, in order or not, with gaps or without. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void isLikeATreeMap(long seed) {
        Random random = new Random(seed);
        TreeMap<Long, String> expected = new TreeMap<>();
        int width = 1 << random.nextInt(9);
        int gap = 1 + random.nextInt(3);
        boolean isInOrder = random.nextBoolean();
        long next = random.nextLong(-5, 1L << 40);
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(5_000) == 0) {
                map.clear();
                expected.clear();
                width = 1 << random.nextInt(9);
            } else if (expected.size() < width && random.nextInt(5) > 1) {
                long sequence = isInOrder || random.nextInt(10) > 0 ? next : next - random.nextInt(4 * width);
                next += random.nextInt(gap) + 1L;
                String value = "" + i;
                assertThat(map.put(sequence, value)).isEqualTo(expected.put(sequence, value));
            } else if (!expected.isEmpty()) {
                long sequence = random.nextInt(3) > 0
                        ? expected.firstKey()
                        : expected.firstKey() + random.nextLong(expected.lastKey() - expected.firstKey() + 3);
                assertThat(map.get(sequence)).isEqualTo(expected.get(sequence));
                assertThat(map.remove(sequence)).isEqualTo(expected.remove(sequence));
            }
            assertThat(map.size()).isEqualTo(expected.size());
            if (!expected.isEmpty()) {
                assertThat(map.firstSequence()).isEqualTo(expected.firstKey());
                assertThat(map.lastSequence()).isEqualTo(expected.lastKey());
            }
            if (i % 100 == 0) {
                assertThat(map.values()).containsExactlyElementsOf(expected.values());
                long from = next - width;
                List<String> rest = new ArrayList<>();
                map.visitFrom(from, (_, value) -> rest.add(value));
                assertThat(rest)
                        .containsExactlyElementsOf(expected.tailMap(from).values());
            }
        }
    }
}
