package io.tributary.broker.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.setting.InvalidSettingException;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessagePrioritiesTest {
    private static final List<PriorityRule> RULES = List.of(
            PriorityRule.of("fire", "alarms/fire/#", 3),
            PriorityRule.of("quiet", "alarms/test", 0),
            PriorityRule.of("alarms", "alarms/#", 2),
            PriorityRule.of("bulk", "bulk/#", 0));

    @ParameterizedTest
    @CsvSource({
        "alarms/fire/1, 3",
        "alarms/fire, 3",
        "alarms/test, 0",
        "alarms/7, 2",
        "bulk/1, 0",
        "other, 0",
        "$SYS/x, 0"
    })
    void firstRuleForTheTopicCounts(String topic, int priority) {
        assertThat(given(new PriorityConfig(null, RULES), message(topic))).isEqualTo(priority);
    }

    @Test
    void topicsOfATenantAreAsItsClientsKnowThem() {
        PriorityConfig config = new PriorityConfig(
                null, List.of(PriorityRule.of("wild", "+/fire", 1), PriorityRule.of("acme", "acme/#", 2)));
        assertThat(given(config, message(TenantNames.topic("acme", "alarms/fire"))))
                .isEqualTo(1);
        assertThat(given(config, message(TenantNames.topic("acme", "alarms/flood"))))
                .isZero();
        assertThat(given(config, message(TenantNames.topic("other", "acme/7")))).isEqualTo(2);
        assertThat(given(config, message(TenantNames.topic("other", "$x/fire"))))
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "2, 2", "3, 3"})
    void userPropertyGoesBeforeRules(String value, int priority) {
        PriorityConfig config = new PriorityConfig("priority", RULES);
        assertThat(given(config, message("alarms/7", "priority", value))).isEqualTo(priority);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4", "-1", "", "03", "3 ", "high", "\u0663"})
    void otherValuesOfTheUserPropertySayNothing(String value) {
        PriorityConfig config = new PriorityConfig("priority", RULES);
        assertThat(given(config, message("alarms/7", "priority", value))).isEqualTo(2);
        assertThat(given(config, message("other", "priority", value))).isZero();
    }

    @Test
    void firstUserPropertyOfTheNameCounts() {
        PriorityConfig config = new PriorityConfig("priority", RULES);
        assertThat(given(config, message("alarms/7", "Priority", "3", "priority", "1", "priority", "3")))
                .isEqualTo(1);
        assertThat(given(config, message("alarms/7", "priority", "x", "priority", "3")))
                .isEqualTo(2);
        assertThat(given(config, message("alarms/7", "urgency", "3"))).isEqualTo(2);
    }

    @Test
    void userPropertySaysNothingUnlessItIsConfigured() {
        assertThat(given(PriorityConfig.NONE, message("a", "priority", "3"))).isZero();
    }

    @Test
    void messageWithoutPriorityStaysTheSame() {
        MessagePriorities priorities =
                new MessagePriorities(new PriorityConfig("priority", RULES), RecordFormat.alone());
        Message message = message("other", "a", "b");
        assertThat(priorities.give(message)).isSameAs(message);
    }

    /** An embedding program may say it itself. */
    @Test
    void priorityThatAMessageHasStays() {
        assertThat(given(PriorityConfig.NONE, message("a").withPriority(3))).isEqualTo(3);
        assertThat(given(new PriorityConfig(null, RULES), message("alarms/7").withPriority(1)))
                .isEqualTo(1);
    }

    @Test
    void thereAreNoneBeforeAllNodesKnowThem() {
        RecordFormat format = new RecordFormat(RecordFormat.NEWEST);
        MessagePriorities priorities = new MessagePriorities(new PriorityConfig("priority", RULES), format);
        Message said = message("alarms/7", "priority", "3");
        Message had = message("a").withPriority(3);
        assertThat(priorities.give(said).priority()).isZero();
        assertThat(priorities.give(had).priority()).isZero();
        assertThat(priorities.allowed(had).priority()).isZero();
        format.raise(RecordFormat.PRIORITIES);
        assertThat(priorities.give(said).priority()).isEqualTo(3);
        assertThat(priorities.give(had).priority()).isEqualTo(3);
        assertThat(priorities.allowed(had)).isSameAs(had);
    }

    @Test
    void wrongValuesAreNamed() {
        assertWrong(() -> PriorityRule.of("", "a", 0), "name: '' is not 1 to 64 letters, digits, - and _");
        assertWrong(() -> PriorityRule.of("a b", "a", 0), "name: 'a b' is not 1 to 64 letters, digits, - and _");
        assertWrong(
                () -> PriorityRule.of("a", "a/#/b", 0),
                "topic-filter: 'a/#/b' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]");
        assertWrong(
                () -> PriorityRule.of("a", "$share/g/a", 0),
                "topic-filter: '$share/g/a' is a shared subscription; it must be a filter of topics");
        assertWrong(() -> PriorityRule.of("a", "a", 4), "priority: 4 is not within 0 to 3");
        assertWrong(
                () -> new PriorityConfig("", List.of()), "user-property: '' must not be empty; leave it out for none");
        assertWrong(
                () -> new PriorityConfig(null, List.of(PriorityRule.of("a", "a", 0), PriorityRule.of("a", "b", 0))),
                "rules[1].name: 'a' is the name of rules[0] too; each needs one of its own");
        List<PriorityRule> many = IntStream.range(0, 101)
                .mapToObj(i -> PriorityRule.of("r" + i, "a", 0))
                .toList();
        assertWrong(() -> new PriorityConfig(null, many), "rules: has 101; it must have 100 at most");
    }

    private static void assertWrong(Supplier<?> made, String words) {
        assertThatExceptionOfType(InvalidSettingException.class)
                .isThrownBy(made::get)
                .withMessage(words);
    }

    private static int given(PriorityConfig config, Message message) {
        return new MessagePriorities(config, RecordFormat.alone()).give(message).priority();
    }

    /** A message with user properties, each a name and a value. */
    private static Message message(String topic, String... properties) {
        List<UserProperty> all = IntStream.range(0, properties.length / 2)
                .mapToObj(i -> new UserProperty(properties[2 * i], properties[2 * i + 1]))
                .toList();
        return new Message(
                topic,
                new byte[0],
                QoS.AT_LEAST_ONCE,
                false,
                new PublishProperties(null, null, null, null, all),
                Message.NEVER,
                "p");
    }
}
