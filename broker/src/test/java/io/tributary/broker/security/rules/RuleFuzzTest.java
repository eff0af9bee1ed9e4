package io.tributary.broker.security.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicLimits;
import io.tributary.common.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Rules that a fuzzer writes: lines of text, of which the first three are a client identifier that is also a group, a
 * topic and a filter. Each other line is a rule: its first character says what it does, the rest is its topic. They are
 * refused as wrong, or decide as {@link NaiveRules} do. An ordinary build runs the seeds among the resources.
 */
class RuleFuzzTest {
    private static final int MOST_RULES = 20;

    private static final List<Effect> EFFECTS = List.of(Effect.values());
    private static final List<Action> ACTIONS = List.of(Action.values());
    private static final List<Retain> RETAINS = List.of(Retain.values());

    /** What the naive rules have time and room for. */
    private static final TopicLimits SMALL = new TopicLimits(1_000, 6);

    @FuzzTest(maxDuration = "30s")
    void decidesAsDescribedOrRefusesWhateverIsWritten(byte[] data) {
        String text = new String(data, UTF_8);
        List<String> lines = List.of(text.split("\n", -1));
        if (lines.size() < 4 || text.contains("\uFFFE") || text.contains("\uFFFF")) {
            return;
        }
        List<Rule> rules = new ArrayList<>();
        for (String line : lines.subList(3, Math.min(lines.size(), 3 + MOST_RULES))) {
            add(rules, line);
        }
        if (!rules.isEmpty()) {
            compare(rules, lines.getFirst(), lines.get(1), lines.get(2));
        }
    }

    private static void add(List<Rule> rules, String line) {
        int bits = line.isEmpty() ? 0 : line.charAt(0);
        try {
            TopicPattern topic = TopicPattern.parse(line.isEmpty() ? "" : line.substring(1));
            if (topic.levels().size() <= SMALL.maxLevels()) {
                rules.add(new Rule(
                        EFFECTS.get(bits & 1),
                        ACTIONS.get((bits >> 1) % 3),
                        topic,
                        QoS.of((bits >> 3) % 3),
                        RETAINS.get((bits >> 5) % 3)));
            }
        } catch (IllegalArgumentException refused) {
            assertThat(refused).hasMessageMatching("(?s).+");
        }
    }

    private static void compare(List<Rule> rules, String clientId, String topic, String filter) {
        Subject subject = new Subject(
                clientId, null, null, null, Set.copyOf(List.of(clientId, "a")), null, null, Map.of(), List.of());
        List<RuleSet> sets = List.of(new RuleSet("set", Audience.EVERYBODY, rules));
        Permissions permissions = new Rules(sets).bind(subject);
        NaiveRules naive = new NaiveRules(sets, subject);
        if (TopicName.isValid(topic, SMALL)) {
            assertThat(permissions.mayPublish(topic, QoS.AT_LEAST_ONCE, true).allowed())
                    .isEqualTo(naive.mayPublish(topic, QoS.AT_LEAST_ONCE, true));
            assertThat(permissions.mayReceive(topic).allowed()).isEqualTo(naive.mayReceive(topic));
        }
        if (isFilter(filter)) {
            assertThat(permissions.maySubscribe(filter, QoS.AT_LEAST_ONCE).extent())
                    .isEqualTo(naive.extent(filter));
        }
    }

    private static boolean isFilter(String filter) {
        try {
            return !TopicFilter.parse(filter, SMALL).isShared() && TopicLevels.count(filter) <= SMALL.maxLevels();
        } catch (MqttException _) {
            return false;
        }
    }
}
