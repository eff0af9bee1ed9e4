package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.mqtt.QoS;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BadRulesTest {
    private static final Rule ANYTHING = new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse("#"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ""                   | '' cannot be: topic filter is empty [MQTT-4.7.3-1]
            a/#/b                | 'a/#/b' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]
            a#                   | 'a#' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]
            a/b+                 | 'a/b+' cannot be: + is not a whole level of the topic filter [MQTT-4.7.1-2]
            $share/group/a       | '$share/group/a' is a shared subscription; rules are about the filter behind $share/NAME/
            a/${client}/b        | '${client}' is not a placeholder; there are ${clientid}, ${username}, ${cn}, ${tenant}, ${group} and ${claim.NAME}, each for a whole level
            """)
    void filterIsRefusedWhenMqttForbidsItOrPlaceholderIsUnknown(String topic, String words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicPattern.parse(topic))
                .withMessage(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\0b",
                "x-${clientid}",
                "${clientid}-x",
                "${clientid",
                "${}",
                "${CLIENTID}",
                "${ clientid}",
                "${clientid}${clientid}",
                "${claim}",
                "${claim.}",
                "${claim.a b}",
                "$${clientid}",
                "a/${group",
                "${group}}"
            })
    void filterIsRefusedWhenPlaceholderIsNotAWholeLevel(String topic) {
        assertThatIllegalArgumentException().isThrownBy(() -> TopicPattern.parse(topic));
    }

    @Test
    void filterIsRefusedWhenItHasTooManyLevels() {
        assertThat(TopicPattern.parse("a" + "/a".repeat(127)).levels()).hasSize(128);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TopicPattern.parse("a" + "/a".repeat(128)))
                .withMessageEndingWith("cannot be: topic filter has more than 128 levels");
    }

    @Test
    void setIsRefusedWhenItHasNoRules() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set(List.of()))
                .withMessage("has no rules, and would allow nothing; it must have 1 to 1000");
    }

    @Test
    void setIsRefusedWhenItHasTooManyRules() {
        assertThat(set(Collections.nCopies(1_000, ANYTHING)).rules()).hasSize(1_000);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set(Collections.nCopies(1_001, ANYTHING)))
                .withMessage("has 1001 rules; it must have 1 to 1000");
    }

    @Test
    void setIsRefusedWhenItsTextsAreTooLarge() {
        Rule rule = new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse("\u00e9".repeat(512)));
        assertThat(set(Collections.nCopies(256, rule)).rules()).hasSize(256);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> set(Collections.nCopies(257, rule)))
                .withMessage("has 263168 bytes in its topics and names; it must have 262144 at most");
        Audience large =
                new Audience(Set.of(), Set.of("u".repeat(262_144)), List.of(TextPattern.of("*")), Set.of(), List.of());
        assertThatIllegalArgumentException().isThrownBy(() -> new RuleSet("set", large, List.of(ANYTHING)));
    }

    @Test
    void ruleIsRefusedWhenItWouldNotMeanWhatItSeemsTo() {
        TopicPattern topic = TopicPattern.parse("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rule(Effect.DENY, Action.PUBLISH, topic, QoS.AT_LEAST_ONCE, Retain.ANY))
                .withMessageStartingWith("max-qos has no meaning in a rule that denies");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Rule(Effect.ALLOW, Action.ALL, topic, QoS.EXACTLY_ONCE, Retain.NO))
                .withMessageStartingWith("retain has no meaning for subscriptions");
    }

    /** What replaces rules is compiled whole, or not at all. */
    @Test
    void oldRulesStayWhenNewOnesAreRefused() {
        Rules rules = new Rules(List.of(set(List.of(ANYTHING))));
        assertThatThrownBy(() -> rules.replace(Collections.singletonList(null)))
                .isInstanceOf(NullPointerException.class);
        assertThat(rules.version()).isEqualTo(1);
        assertThat(rules.bind(Subjects.ofClientId("a")).mayReceive("a").allowed())
                .isTrue();
    }

    private static RuleSet set(List<Rule> rules) {
        return new RuleSet("set", Audience.EVERYBODY, rules);
    }
}
