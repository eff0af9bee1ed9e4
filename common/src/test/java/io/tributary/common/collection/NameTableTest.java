package io.tributary.common.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameTableTest {
    private final Table table = new Table();

    private record Entry(String name, int value) {}

    private static class Table extends NameTable<Entry> {
        @Override
        protected boolean isNamed(Entry entry, String name) {
            return entry.name.equals(name);
        }

        @Nullable
        Entry put(Entry entry) {
            return put(entry.name, entry);
        }
    }

    @Test
    void keepsOneEntryOfAName() {
        Entry first = new Entry("a", 1);
        Entry second = new Entry("a", 2);

        assertThat(table.put(first)).isNull();
        assertThat(table.put(second)).isSameAs(first);

        assertThat(table.get("a")).isSameAs(second);
        assertThat(table.size()).isEqualTo(1);
        assertThat(table.remove("a")).isSameAs(second);
        assertThat(table.get("a")).isNull();
        assertThat(table.remove("a")).isNull();
        assertThat(table.size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void isAMap(long seed) {
        Random random = new Random(seed);
        Map<String, Entry> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String name = "x".repeat(random.nextInt(4)) + random.nextInt(i < 10_000 ? 3000 : 300);
            if (random.nextInt(5) < (i < 5000 ? 4 : 2)) {
                Entry entry = new Entry(name, i);
                assertThat(table.put(entry)).isEqualTo(expected.put(name, entry));
            } else {
                assertThat(table.remove(name)).isEqualTo(expected.remove(name));
            }
            assertThat(table.size()).isEqualTo(expected.size());
        }

        assertThat(table.entries()).containsExactlyInAnyOrderElementsOf(expected.values());
        expected.forEach((name, entry) -> assertThat(table.get(name)).isEqualTo(entry));

        expected.keySet().forEach(table::remove);
        assertThat(table.entries()).isEmpty();
    }

    /** Their hash codes are the same, as strangers can choose them. */
    @Test
    void namesWithOneHashCodeDoNotMeet() {
        Table probed = new Table() {
            int looked;

            @Override
            protected boolean isNamed(Entry entry, String name) {
                looked++;
                assertThat(looked).as("entries looked at").isLessThan(3 << 14);
                return super.isNamed(entry, name);
            }
        };
        for (int bits = 0; bits < 1 << 13; bits++) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < 13; i++) {
                name.append((bits >> i & 1) == 0 ? "Aa" : "BB");
            }
            probed.put(new Entry(name.toString(), bits));
            assertThat(probed.get(name.toString())).isNotNull();
        }
    }

    /** Two blocks of four characters that differ in the highest bits of each: such differences went out again. */
    @Test
    void namesThatDifferInHighBitsDoNotMeet() {
        Set<Integer> hashes = new HashSet<>();
        for (int bits = 0; bits < 1 << 13; bits++) {
            StringBuilder name = new StringBuilder();
            for (int i = 0; i < 13; i++) {
                name.append((bits >> i & 1) == 0 ? "aaaaaaaa" : "\u8061aaa\u8061a\u8061a");
            }
            hashes.add(table.hash(name.toString()));
        }
        assertThat(hashes).hasSizeGreaterThan((1 << 13) - 10);
    }

    @Test
    void iteratorEnds() {
        table.put(new Entry("a", 1));
        Iterator<Entry> all = table.entries().iterator();
        assertThat(all.next().name()).isEqualTo("a");
        assertThat(all.hasNext()).isFalse();
        assertThatThrownBy(all::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void isStreamedWhileItChanges() {
        for (int i = 0; i < 100; i++) {
            table.put(new Entry("a" + i, i));
        }
        assertThat(table.entries().stream()
                        .peek(entry -> table.remove(entry.name))
                        .toList())
                .hasSize(100);
        assertThat(table.size()).isZero();
    }

    /** What stays is found at each moment, while others come and go and the table grows and shrinks. */
    @Test
    void readersFindWhatStays() throws Exception {
        int staying = 50;
        IntStream.range(0, staying).forEach(i -> table.put(new Entry("stays" + i, i)));
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<Integer> reader = () -> {
                int missed = 0;
                for (int i = 0; !over.get(); i = (i + 1) % staying) {
                    Entry entry = table.get("stays" + i);
                    missed += entry == null || entry.value != i ? 1 : 0;
                }
                return missed;
            };
            Future<Integer> missed = readers.submit(reader);
            for (int round = 0; round < 100; round++) {
                IntStream.range(0, 1000).forEach(i -> table.put(new Entry("goes" + i, i)));
                IntStream.range(0, 1000).forEach(i -> table.remove("goes" + i));
            }
            over.set(true);
            assertThat(missed.get()).isZero();
        }
    }
}
