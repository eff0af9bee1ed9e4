package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RuleDigestTest {
    private static final Rule RULE = new Rule(Effect.ALLOW, Action.PUBLISH, TopicPattern.parse("a/${clientid}"));
    private static final Audience SOME = new Audience(
            Set.of("g", "h"), Set.of("u"), List.of(TextPattern.of("c-*")), Set.of("tcp"), List.of(range("10.0.0.0/8")));
    private static final RuleSet SET = new RuleSet("set", SOME, List.of(RULE));

    /** Nodes of other versions say it: another number is another rule for them, until all are exchanged. */
    @Test
    void isTheSameInEveryProcess() {
        assertThat(digest(SET)).isEqualTo(4_191_238_187_341_302_490L);
    }

    @Test
    void isTheSameWhenOnlyNamesAndTheOrderOfClientsDiffer() {
        Audience turned =
                new Audience(Set.of("h", "g"), SOME.users(), SOME.clientIds(), SOME.listeners(), SOME.addresses());
        assertThat(digest(new RuleSet("other", turned, List.of(RULE)))).isEqualTo(digest(SET));
    }

    @Test
    void isAnotherWhenAnythingElseDiffers() {
        RuleSet everybody = new RuleSet("set", Audience.EVERYBODY, List.of(RULE));
        Stream<RuleSet> ofRules = Stream.of(
                        new Rule(Effect.DENY, Action.PUBLISH, RULE.topic()),
                        new Rule(Effect.ALLOW, Action.ALL, RULE.topic()),
                        new Rule(Effect.ALLOW, Action.PUBLISH, TopicPattern.parse("a/${username}")),
                        new Rule(Effect.ALLOW, Action.PUBLISH, RULE.topic(), QoS.AT_LEAST_ONCE, Retain.ANY),
                        new Rule(Effect.ALLOW, Action.PUBLISH, RULE.topic(), QoS.EXACTLY_ONCE, Retain.NO))
                .map(rule -> new RuleSet("set", SOME, List.of(rule)));
        Stream<RuleSet> ofAudiences = Stream.of(
                        new Audience(Set.of("g"), Set.of("u"), SOME.clientIds(), Set.of("tcp"), SOME.addresses()),
                        new Audience(Set.of("g", "u"), Set.of("h"), SOME.clientIds(), Set.of("tcp"), SOME.addresses()),
                        new Audience(SOME.groups(), SOME.users(), List.of(), SOME.listeners(), SOME.addresses()),
                        new Audience(SOME.groups(), SOME.users(), SOME.clientIds(), Set.of("ws"), SOME.addresses()),
                        new Audience(
                                SOME.groups(),
                                SOME.users(),
                                SOME.clientIds(),
                                SOME.listeners(),
                                List.of(range("10.0.0.0/9"))))
                .map(audience -> new RuleSet("set", audience, List.of(RULE)));
        List<Long> digests = Stream.concat(
                        Stream.of(
                                0L, // no rules
                                digest(SET),
                                digest(SET, everybody),
                                digest(everybody, SET),
                                digest(new RuleSet("set", SOME, List.of(RULE, RULE)))),
                        Stream.concat(ofRules, ofAudiences).map(RuleDigestTest::digest))
                .toList();
        assertThat(digests).doesNotHaveDuplicates();
        assertThat(new Rules(List.of()).digest()).isZero();
    }

    private static long digest(RuleSet... sets) {
        return new Rules(List.of(sets)).digest();
    }

    private static AddressRange range(String text) {
        return AddressRange.parse(text);
    }
}
