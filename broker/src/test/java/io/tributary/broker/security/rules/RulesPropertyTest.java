package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Subject.Known;
import io.tributary.common.mqtt.QoS;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Compiled rules decide as the described ones do. */
class RulesPropertyTest {
    private static final int CASES = 3_000;
    private static final int QUESTIONS = 12;

    private final Map<Extent, Integer> extents = new EnumMap<>(Extent.class);
    private int allowed;
    private int asked;

    @Test
    void decideAsDescribedWhenAllIsRandom() {
        long firstSeed = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE / 2);
        for (long seed = firstSeed; seed < firstSeed + CASES; seed++) {
            compare(seed);
        }
        // Each answer is common enough that a wrong one would be met.
        assertThat(extents)
                .hasSize(Extent.values().length)
                .allSatisfy((extent, count) ->
                        assertThat(count).as("%s of %s", extent, asked).isGreaterThan(asked / 100));
        assertThat(allowed).isBetween(asked / 10, asked * 9 / 10);
    }

    /** What a client may have once it is back is queued for it while it is away, wherever it is going to come from. */
    @Test
    void nothingIsWithheldFromASessionThatIsAwayWhenItsClientMayHaveIt() {
        long firstSeed = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE / 2);
        int withheld = 0;
        for (long seed = firstSeed; seed < firstSeed + CASES; seed++) {
            RandomRules random = new RandomRules(seed);
            List<RuleSet> sets = random.sets();
            Rules rules = new Rules(sets);
            Subject subject = random.subject();
            Permissions back = rules.bind(subject);
            Permissions away = rules.bind(away(subject, random.chance(2) ? Known.PRINCIPAL : Known.CLIENT_ID));
            String about = "seed %s: %s, %s".formatted(seed, subject, sets);
            for (int i = 0; i < QUESTIONS; i++) {
                String topic = random.topic();
                String filter = random.filter();
                if (back.mayReceive(topic).allowed()) {
                    assertThat(away.mayReceive(topic).allowed())
                            .as("%s receive %s", about, topic)
                            .isTrue();
                }
                if (back.maySubscribe(filter, QoS.AT_MOST_ONCE).granted()) {
                    assertThat(away.reading(filter))
                            .as("%s subscribe %s", about, filter)
                            .isNotSameAs(Permissions.nothing());
                }
                withheld += away.mayReceive(topic).allowed() ? 0 : 1;
            }
        }
        assertThat(withheld).isGreaterThan(CASES); // and that is not because nothing ever is
    }

    private static Subject away(Subject subject, Known known) {
        boolean isKnown = known == Known.PRINCIPAL;
        return new Subject(
                subject.clientId(),
                isKnown ? subject.userName() : null,
                isKnown ? subject.commonName() : null,
                isKnown ? subject.tenant() : null,
                isKnown ? subject.groups() : Set.of(),
                null,
                null,
                Map.of(),
                subject.rules(),
                known);
    }

    private void compare(long caseSeed) {
        RandomRules random = new RandomRules(caseSeed);
        List<RuleSet> sets = random.sets();
        Rules rules = new Rules(random.chance(2) ? sets : random.sets());
        Subject subject = random.subject();
        Permissions permissions = rules.bind(subject);
        Permissions publisher = permissions.remembering();
        publisher.mayPublish(random.topic(), QoS.AT_MOST_ONCE, false);
        rules.replace(sets);
        NaiveRules naive = new NaiveRules(sets, subject);
        Supplier<String> about = () -> "seed %s: %s, %s".formatted(caseSeed, subject, sets);
        for (int i = 0; i < QUESTIONS; i++) {
            compareMessages(random, permissions, publisher, naive, about);
            compareSubscriptions(random, permissions, naive, about);
            asked++;
        }
    }

    private void compareMessages(
            RandomRules random,
            Permissions permissions,
            Permissions publisher,
            NaiveRules naive,
            Supplier<String> about) {
        String topic = random.topic();
        QoS qos = random.qos();
        boolean retain = random.chance(2);
        boolean expected = naive.mayPublish(topic, qos, retain);
        Supplier<String> question = () -> about.get() + " publish " + topic + " " + qos + " " + retain;
        assertThat(permissions.mayPublish(topic, qos, retain).allowed())
                .as(question)
                .isEqualTo(expected);
        assertThat(publisher.mayPublish(topic, qos, retain).allowed())
                .as(question)
                .isEqualTo(expected);
        assertThat(publisher.mayPublish(topic, qos, retain).allowed())
                .as(question)
                .isEqualTo(expected);
        assertThat(permissions.mayReceive(topic).allowed())
                .as(() -> about.get() + " receive " + topic)
                .isEqualTo(naive.mayReceive(topic));
        allowed += expected ? 1 : 0;
    }

    private void compareSubscriptions(
            RandomRules random, Permissions permissions, NaiveRules naive, Supplier<String> about) {
        String filter = random.filter();
        QoS qos = random.qos();
        Supplier<String> question = () -> about.get() + " subscribe " + filter + " " + qos;
        SubscriptionDecision decision = permissions.maySubscribe(filter, qos);
        assertThat(decision.extent()).as(question).isEqualTo(naive.extent(filter));
        assertThat(decision.maxQos()).as(question).isEqualTo(naive.granted(filter, qos));
        extents.merge(decision.extent(), 1, Integer::sum);
        String topic = random.topic();
        boolean matches = NaiveRules.matches(NaiveRules.levels(filter), NaiveRules.levels(topic), 0);
        if (matches && decision.extent() == Extent.WHOLE) {
            assertThat(permissions.mayReceive(topic).allowed())
                    .as(() -> question.get() + " receive " + topic)
                    .isTrue();
        }
    }
}
