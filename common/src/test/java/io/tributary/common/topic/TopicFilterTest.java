package io.tributary.common.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopicFilterTest {

    @ParameterizedTest
    @ValueSource(strings = {"#", "+", "a/#", "+/+", "a/+/b", "/", "/+", "+/#", "$SYS/#", "$share", "a b", "a/$share/b"})
    void acceptsFilterWhenItIsValid(String filter) {
        TopicFilter parsed = TopicFilter.parse(filter);
        assertThat(parsed).isEqualTo(new TopicFilter(filter, null)).hasToString(filter);
    }

    // # [MQTT-4.7.1-1], + [MQTT-4.7.1-2], empty [MQTT-4.7.3-1], null [MQTT-4.7.3-2]
    @ParameterizedTest
    @ValueSource(strings = {"", "a/#/b", "a/b#", "a/#b", "##", "#/", "a+/b", "a/+b", "a/++", "+a", "+#", "a\0b"})
    void refusesFilterWhenWildcardIsMisplaced(String filter) {
        assertInvalid(filter, TopicLimits.MQTT);
    }

    // name [MQTT-4.8.2-1], name without wildcard and followed by a filter [MQTT-4.8.2-2]
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$share/",
                "$share//t",
                "$share/g",
                "$share/g/",
                "$share/g+/t",
                "$share/#/t",
                "$share/g/a#",
                "$share/+/t"
            })
    void refusesSharedFilterWhenNameOrFilterIsInvalid(String filter) {
        assertInvalid(filter, TopicLimits.MQTT);
    }

    @Test
    void takesShareNameOffWhenFilterIsShared() {
        TopicFilter shared = TopicFilter.parse("$share/workers/jobs/+/#");
        assertThat(shared.shareName()).isEqualTo("workers");
        assertThat(shared.filter()).isEqualTo("jobs/+/#");
        assertThat(shared.isShared()).isTrue();
        assertThat(shared.matches("jobs/print/1")).isTrue();
        assertThat(shared).hasToString("$share/workers/jobs/+/#");
        assertThat(TopicFilter.parse("$share/g//").filter()).isEqualTo("/");
    }

    @ParameterizedTest
    @CsvSource({
        "a/#, a/b, true",
        "+/b, a/b, true",
        "a/b, a/c, false",
        "#, $SYS/x, false",
        "$SYS/#, $SYS/x, true",
        "acme/#, a/b, false",
        "/+, /a, true"
    })
    void matchesWhatClientsKnowWhenTopicIsATenants(String filter, String topic, boolean matches) {
        TopicFilter parsed = TopicFilter.parse(filter);
        assertThat(parsed.matchesVisible(topic)).isEqualTo(matches);
        assertThat(parsed.matchesVisible("\0acme/" + topic)).isEqualTo(matches);
    }

    @Test
    void refusesFilterWhenLimitsAreExceeded() {
        assertInvalid("a/b/c", new TopicLimits(100, 2));
        assertInvalid("abcd", new TopicLimits(3, 2));
        assertInvalid("$share/g/a", new TopicLimits(9, 9));
        // The share name is no level of the topic.
        assertThat(TopicFilter.parse("$share/g/a/b", new TopicLimits(100, 2)).filter())
                .isEqualTo("a/b");
    }

    /** The first level, {@code NUL} here for U+0000, is the tenant's. */
    @ParameterizedTest
    @CsvSource({
        "#, NULacme/a, false",
        "+/a, NULacme/a, false",
        "+/#, NULacme/a, false",
        "NULacme/#, NULacme/a, true",
        "NULacme/+, NULacme/a, true",
        "NULacme/#, NULbeta/a, false",
        "NULacme/#, acme/a, false",
        "NULacme/#, NULacme/$SYS/x, false", // [MQTT-4.7.2-1]
        "NULacme/+/x, NULacme/$SYS/x, false",
        "NULacme/$SYS/#, NULacme/$SYS/x, true",
        "NULacme/$SYS/#, $SYS/x, false",
        "NULacme/a/#, NULacme/a/$x, true",
        "NULacme/a/+, NULacme/a/$x, true",
        "NULacme/+, NULacme/, true",
    })
    void matchesWithinTheTenantWhenTopicOrFilterIsATenants(String filter, String topic, boolean matches) {
        TopicFilter parsed = TopicFilter.parseStored(filter.replace("NUL", "\0"));
        assertThat(parsed.matches(topic.replace("NUL", "\0"))).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\0a\0/b", "\0a/#/b", "$share/g/a\0", "$share/\0a", "\0", ""})
    void refusesStoredFilterWhenItIsDamaged(String filter) {
        assertThatThrownBy(() -> TopicFilter.parseStored(filter)).isInstanceOf(MqttException.class);
    }

    @Test
    void tellsWhetherThereIsAWildcard() {
        assertThat(TopicFilter.parse("a/b").hasWildcard()).isFalse();
        assertThat(TopicFilter.parse("a/+").hasWildcard()).isTrue();
        assertThat(TopicFilter.parse("#").hasWildcard()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "a/b, a/b, true",
        "a/b, a/B, false",
        "a/b, a/b/, false",
        "a/b, a, false",
        "/a, a, false",
        "sport/tennis/#, sport/tennis, true", // section 4.7.1.2
        "sport/tennis/#, sport/tennis/x/y, true",
        "sport/tennis/#, sport/tennisx, false",
        "#, a, true",
        "#, /, true",
        "sport/+, sport, false", // section 4.7.1.3
        "sport/+, sport/, true",
        "sport/+, sport/a/b, false",
        "+/+, /finance, true",
        "/+, /finance, true",
        "+, /finance, false",
        "+/tennis/#, x/tennis, true",
        "+/#, a, true",
        "#, $SYS/x, false", // [MQTT-4.7.2-1]
        "+/x, $SYS/x, false",
        "+/#, $SYS/x, false",
        "$SYS/#, $SYS/x, true",
        "$SYS/+, $SYS/x, true",
        "a/#, a/$SYS, true"
    })
    void matchesWhenSpecificationSaysSo(String filter, String topic, boolean expected) {
        assertThat(TopicFilter.parse(filter).matches(topic)).isEqualTo(expected);
    }

    @Test
    void matchesLikeRegularExpressionWhenTopicsAreRandom() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            String filter = randomFilter(random);
            String topic = randomTopic(random);
            assertThat(TopicFilter.parse(filter).matches(topic))
                    .as("filter %s, topic %s, seed %s", filter, topic, seed)
                    .isEqualTo(oracle(filter, topic));
        }
    }

    @Test
    void parsesOrRefusesWhenTextIsRandom() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            String text = randomText(random);
            assertThat(isAccepted(text)).as("filter %s, seed %s", text, seed).isEqualTo(isValidByRegex(text));
        }
    }

    /** Says the same as the specification, in another way: one regular expression for a filter. */
    private static boolean oracle(String filter, String topic) {
        if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) {
            return false;
        }
        if (filter.equals("#")) {
            return true;
        }
        boolean open = filter.endsWith("/#");
        String[] levels = (open ? filter.substring(0, filter.length() - 2) : filter).split("/", -1);
        StringBuilder regex = new StringBuilder();
        for (int i = 0; i < levels.length; i++) {
            regex.append(i == 0 ? "" : "/").append(levels[i].equals("+") ? "[^/]*" : Pattern.quote(levels[i]));
        }
        return topic.matches(regex + (open ? "(/.*)?" : ""));
    }

    private static boolean isValidByRegex(String filter) {
        String level = "([^+#/]*|\\+)";
        String plain = "(" + level + "(/" + level + ")*(/#)?|#)";
        String shared = "\\$share/[^+#/]+/.+";
        if (filter.startsWith("$share/")) {
            return filter.matches(shared) && isValidByRegex("x" + filter.substring(filter.indexOf('/', 7)));
        }
        return !filter.isEmpty() && filter.matches(plain);
    }

    private static boolean isAccepted(String filter) {
        try {
            TopicFilter.parse(filter);
            return true;
        } catch (MqttException e) {
            return false;
        }
    }

    private static String randomTopic(Random random) {
        String[] levels = {"", "a", "b", "ab", "$SYS", "$"};
        return joined(random, levels, "");
    }

    private static String randomFilter(Random random) {
        String[] levels = {"", "a", "b", "ab", "$SYS", "+", "+"};
        return joined(random, levels, random.nextInt(3) == 0 ? "#" : "");
    }

    private static String joined(Random random, String[] levels, String last) {
        StringBuilder text = new StringBuilder();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : "/").append(levels[random.nextInt(levels.length)]);
        }
        if (!last.isEmpty()) {
            text.append(count == 0 ? "" : "/").append(last);
        }
        return text.isEmpty() ? "/" : text.toString();
    }

    private static String randomText(Random random) {
        String[] parts = {"/", "/", "+", "#", "a", "$share/", "g"};
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "" : "$share/g/");
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    private static void assertInvalid(String filter, TopicLimits limits) {
        assertThatThrownBy(() -> TopicFilter.parse(filter, limits))
                .isInstanceOfSatisfying(
                        MqttException.class, e -> assertThat(e.reason()).isEqualTo(ReasonCode.TOPIC_FILTER_INVALID));
    }

    /** A client could choose filters that all have one hash: "0z", "1[" and "2<" have one, so all such blocks do. */
    @Test
    void filtersHaveOtherHashesThanTheirTexts() {
        List<String> blocks = List.of("0z", "1[", "2<");
        Set<Integer> hashes = new HashSet<>();
        for (String one : blocks) {
            for (String two : blocks) {
                for (String three : blocks) {
                    assertThat((one + two + three).hashCode()).isEqualTo("0z0z0z".hashCode());
                    hashes.add(TopicFilter.parse(one + two + three).hashCode());
                    hashes.add(TopicFilter.parse("$share/" + one + two + "/" + three)
                            .hashCode());
                }
            }
        }
        assertThat(hashes).hasSizeGreaterThan(50);
    }
}
