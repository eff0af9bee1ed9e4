package io.tributary.broker.retained;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterScanTest {
    private static final String[] LEVELS = {"a", "b", "ab", "", "a-b", "a0", "$x", "é"};
    private static final String[] TENANTS = {"\0t/", "\0t-/", "\0u/", "", "", ""};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void findsExactlyWhatMatchesInOrder(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            NavigableSet<String> topics = new TreeSet<>();
            for (int i = random.nextInt(120); i >= 0; i--) {
                topics.add(tenant(random) + topic(random));
            }
            TopicFilter filter = TopicFilter.parseStored(tenant(random) + filter(random));
            assertThat(scan(topics, filter, new ArrayList<>()))
                    .as("%s in %s", filter, topics)
                    .containsExactlyElementsOf(
                            topics.stream().filter(filter::matches).toList());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a/b/+, a/b",
        "a/+/c, a/",
        "a/b, a/b",
        "a/#, a",
        "+/b, ''",
        "#, ''",
    })
    void beginsAtTheLiteralLevels(String filter, String first) {
        String expected = first.endsWith("/") ? first.substring(0, first.length() - 1) : first;
        assertThat(new FilterScan(TopicFilter.parse(filter)).first()).isEqualTo(expected);
    }

    @Test
    void leapsOverBranchesThatCannotMatch() {
        NavigableSet<String> topics = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            topics.add("a/b/x/deep/" + i);
            topics.add("a/c/" + i);
            topics.add("z/" + i);
        }
        topics.add("a/b/x");
        topics.add("a/b/y");
        List<String> looked = new ArrayList<>();

        assertThat(scan(topics, TopicFilter.parse("a/b/+"), looked)).containsExactly("a/b/x", "a/b/y");
        assertThat(looked).hasSizeLessThan(6);

        looked.clear();
        assertThat(scan(topics, TopicFilter.parse("+/c/77"), looked)).containsExactly("a/c/77");
        assertThat(looked).hasSizeLessThan(8);
    }

    private static List<String> scan(NavigableSet<String> topics, TopicFilter filter, List<String> looked) {
        FilterScan scan = new FilterScan(filter);
        List<String> found = new ArrayList<>();
        @Nullable String topic = topics.ceiling(scan.first());
        while (topic != null) {
            looked.add(topic);
            String next = scan.next(topic);
            if (next == null) {
                break;
            }
            assertThat(next).isGreaterThanOrEqualTo(topic);
            if (next.equals(topic)) {
                found.add(topic);
                topic = topics.higher(topic);
            } else {
                topic = topics.ceiling(next);
            }
        }
        return found;
    }

    @Test
    void leapsOverWhatIsOthers() {
        NavigableSet<String> topics = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            topics.add("\0acme/$SYS/" + i);
            topics.add("\0beta/" + i);
            topics.add("$SYS/" + i);
        }
        topics.add("\0acme/a");
        topics.add("a");
        List<String> looked = new ArrayList<>();

        assertThat(scan(topics, TopicFilter.parse("#"), looked)).containsExactly("a");
        assertThat(scan(topics, TopicFilter.parseStored("\0acme/#"), looked)).containsExactly("\0acme/a");
        assertThat(scan(topics, TopicFilter.parseStored("\0acme/+"), looked)).containsExactly("\0acme/a");
        assertThat(looked).hasSizeLessThan(12);
    }

    private static String tenant(Random random) {
        return TENANTS[random.nextInt(TENANTS.length)];
    }

    private static String topic(Random random) {
        StringBuilder topic = new StringBuilder(LEVELS[random.nextInt(LEVELS.length)]);
        for (int i = random.nextInt(4); i > 0; i--) {
            topic.append('/').append(LEVELS[random.nextInt(LEVELS.length)]);
        }
        return topic.isEmpty() ? "a" : topic.toString();
    }

    private static String filter(Random random) {
        String[] levels = topic(random).split("/", -1);
        for (int i = 0; i < levels.length; i++) {
            if (random.nextInt(3) == 0) {
                levels[i] = "+";
            }
        }
        if (random.nextInt(4) == 0) {
            levels[levels.length - 1] = "#";
        }
        return String.join("/", levels);
    }
}
