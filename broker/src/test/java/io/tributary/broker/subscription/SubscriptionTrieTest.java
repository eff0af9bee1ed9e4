package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.topic.TopicFilter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionTrieTest {
    private final SubscriptionTrie<String, String> trie = new SubscriptionTrie<>();

    @ParameterizedTest
    @CsvSource({
        "a/b/c, a/b/c, true",
        "a/b/c, a/b, false",
        "a/b, a/b/c, false",
        "a/+/c, a/b/c, true",
        "a/+/c, a//c, true",
        "a/+, a, false",
        "+, a, true",
        "+, a/b, false",
        "+/+, /a, true",
        "/+, /a, true",
        "+, /a, false",
        "#, a/b/c, true",
        "#, /, true",
        "a/#, a/b/c, true",
        "a/#, a, true", // [MQTT-4.7.1-2]
        "a/b/#, a, false",
        "+/#, a, true",
        "A, a, false",
        "$SYS/#, $SYS/x, true",
        "$SYS/+/b, $SYS/x/b, true",
        "#, $SYS/x, false", // [MQTT-4.7.2-1]
        "+/x, $SYS/x, false", // [MQTT-4.7.2-1]
        "a/#, a/$x, true",
        "a/+, a/$x, true",
    })
    void matchesAsTheStandardSays(String filter, String topic, boolean expected) {
        trie.put(filter, "client", "value");

        assertThat(match(topic)).isEqualTo(expected ? Set.of("value") : Set.of());
    }

    @Test
    void countsLevelsOnceThatFiltersBeginWith() {
        trie.put("a/b/+", "client", "value");
        assertThat(trie.levels()).isEqualTo(3);
        trie.put("a/b/+", "other", "value");
        trie.put("a/b", "client", "value");
        assertThat(trie.levels()).isEqualTo(3);
        trie.put("a/#", "client", "value");
        assertThat(trie.levels()).isEqualTo(4);

        trie.remove("a/b/+", "client");
        trie.remove("a/c", "client");
        assertThat(trie.levels()).isEqualTo(4);
        trie.remove("a/b/+", "other");
        assertThat(trie.levels()).isEqualTo(3);
        trie.remove("a/b", "client");
        trie.remove("a/#", "client");
        assertThat(trie.levels()).isZero();
    }

    /** The first level, {@code NUL} here for U+0000, is the tenant's. */
    @ParameterizedTest
    @CsvSource({
        "#, NULacme/a, false",
        "+/a, NULacme/a, false",
        "NULacme/#, NULacme/a, true",
        "NULacme/+/b, NULacme/a/b, true",
        "NULacme/#, NULbeta/a, false",
        "NULacme/#, NULacme/$SYS/x, false", // [MQTT-4.7.2-1]
        "NULacme/+/x, NULacme/$SYS/x, false",
        "NULacme/$SYS/#, NULacme/$SYS/x, true",
        "NULacme/a/+, NULacme/a/$x, true",
    })
    void matchesWithinTheTenantWhenTopicOrFilterIsATenants(String filter, String topic, boolean expected) {
        trie.put(filter.replace("NUL", "\0"), "client", "value");

        assertThat(match(topic.replace("NUL", "\0"))).isEqualTo(expected ? Set.of("value") : Set.of());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void agreesWithTheObviousAlgorithmOnRandomFilters(long seed) {
        RandomTopics random = new RandomTopics(seed);
        Map<String, String> oracle = new TreeMap<>();
        for (int i = 0; i < 3_000; i++) {
            String filter = random.filter();
            String key = "c" + random.next(3);
            String entry = filter + " " + key;
            if (random.next(3) == 0) {
                assertThat(trie.remove(filter, key)).isEqualTo(oracle.remove(entry) != null);
            } else {
                assertThat(trie.put(filter, key, entry)).isEqualTo(oracle.put(entry, filter) == null);
            }
            String topic = random.topic();
            assertThat(match(topic)).as(topic).isEqualTo(expected(oracle, topic));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12})
    void givesAllMemoryBackWhenEverythingIsRemoved(long seed) {
        RandomTopics random = new RandomTopics(seed);
        List<String> filters = java.util.stream.Stream.generate(random::filter)
                .limit(1_000)
                .distinct()
                .toList();
        filters.forEach(filter -> trie.put(filter, "k", "v"));
        filters.forEach(filter -> trie.remove(filter, "k"));

        assertThat(trie.isEmpty()).isTrue();
    }

    @Test
    void removesNothingWhenTheFilterIsUnknown() {
        trie.put("a/b", "k", "v");

        assertThat(trie.remove("a/c", "k")).isFalse();
        assertThat(trie.remove("a", "k")).isFalse();
        assertThat(trie.remove("a/b", "other")).isFalse();
        assertThat(match("a/b")).containsExactly("v");
    }

    @Test
    void replacesTheValueWhenTheKeyIsTheSame() {
        assertThat(trie.put("a", "k", "old")).isTrue();
        assertThat(trie.put("a", "k", "new")).isFalse();

        assertThat(match("a")).containsExactly("new");
    }

    @Test
    void survivesAsManyLevelsAsATopicCanHave() {
        String deep = "/".repeat(65_534);
        trie.put(deep, "k", "deep");
        trie.put("+" + deep.substring(1), "k", "shorter");

        assertThat(match(deep)).containsExactly("deep");
        assertThat(trie.remove(deep, "k")).isTrue();
    }

    @Test
    void readersAlwaysSeeWhatStaysWhileOthersChangeTheTrie() throws Exception {
        trie.put("s/+/x", "stays", "stays");
        trie.put("s/1/x", "stays", "stays too");
        AtomicBoolean stop = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            Future<?> firstWriter = threads.submit(() -> changeAtRandom(21));
            Future<?> secondWriter = threads.submit(() -> changeAtRandom(22));
            Callable<Long> read = () -> readUntil(stop);
            Future<Long> reader = threads.submit(read);
            firstWriter.get();
            secondWriter.get();
            stop.set(true);
            assertThat(reader.get()).isPositive();
        }
        trie.remove("s/+/x", "stays");
        trie.remove("s/1/x", "stays");
        assertThat(trie.isEmpty()).isTrue();
    }

    private void changeAtRandom(long seed) {
        RandomTopics random = new RandomTopics(seed);
        for (int i = 0; i < 20_000; i++) {
            String filter = "s/" + random.next(2) + "/" + (random.next(2) == 0 ? "x" : random.filter());
            trie.put(filter, "writer" + seed, "comes and goes");
            trie.remove(filter, "writer" + seed);
        }
    }

    private long readUntil(AtomicBoolean stop) {
        long reads = 0;
        while (!stop.get()) {
            assertThat(match("s/1/x")).contains("stays", "stays too");
            reads++;
        }
        return reads;
    }

    private Set<String> match(String topic) {
        return trie.match(topic).stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> expected(Map<String, String> oracle, String topic) {
        return oracle.entrySet().stream()
                .filter(entry -> TopicFilter.parseStored(entry.getValue()).matches(topic))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
