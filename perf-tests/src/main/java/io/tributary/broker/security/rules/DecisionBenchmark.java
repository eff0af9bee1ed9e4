package io.tributary.broker.security.rules;

import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.common.mqtt.QoS;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Microbenchmark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * What a message costs in rules, with rule sets that are all for the client: a decision that the publisher remembers,
 * one that is walked, and one that the last rule takes. Topics are other objects than those remembered, as packets
 * bring them.
 */
public class DecisionBenchmark extends Microbenchmark {
    private static final int COPIES = 1 << 10;
    private static final int TOPICS = 8;

    /** How many rules there are for the client. */
    @Param({"20", "1000"})
    public int rules;

    private Permissions permissions;
    private Permissions publisher;
    private final String[] topics = new String[COPIES];
    private final String[] lastTopics = new String[COPIES];
    private int next;

    /** Makes the rules, of several audiences that the client belongs to. */
    @Setup
    public void prepare() {
        List<RuleSet> sets = new ArrayList<>();
        for (int begin = 0; begin < rules; begin += RULES_A_SET) {
            sets.add(set(begin));
        }
        Subject subject = new Subject(
                Messages.client(7),
                "user-7",
                "cn-7",
                "acme",
                Set.of("blue", "green"),
                "tcp",
                null,
                Map.of(),
                List.of());
        permissions = new Rules(sets).bind(subject);
        publisher = permissions.remembering();
        for (int i = 0; i < COPIES; i++) {
            topics[i] = "devices/" + Messages.client(7) + "/up/" + i % TOPICS + "/data";
            lastTopics[i] = "area/" + (rules - 2) + "/" + Messages.client(7) + "/data/" + i % TOPICS;
        }
        for (int i = 0; i < TOPICS; i++) {
            publisher.mayPublish(topics[i], QoS.AT_LEAST_ONCE, false);
        }
    }

    private static final int RULES_A_SET = 250;

    private RuleSet set(int begin) {
        Set<String> groups = begin == 0 ? Set.of() : Set.of("blue", "other-" + begin);
        List<Rule> made = new ArrayList<>();
        for (int i = begin; i < Math.min(rules, begin + RULES_A_SET); i++) {
            made.add(new Rule(i % 10 == 0 ? Effect.DENY : Effect.ALLOW, Action.ALL, TopicPattern.parse(topic(i))));
        }
        return new RuleSet("set-" + begin, new Audience(groups, Set.of(), List.of(), Set.of(), List.of()), made);
    }

    private String topic(int rule) {
        if (rule == rules - 1) {
            return "devices/${clientid}/up/#";
        }
        return switch (rule % 4) {
            case 0 -> "devices/+/secret-" + rule + "/#";
            case 1 -> "teams/${group}/" + rule + "/#";
            case 2 -> "area/" + rule + "/${clientid}/#";
            default -> "area/+/${tenant}/" + rule + "/#";
        };
    }

    /** A topic among the last 8. */
    @Benchmark
    public Decision remembered() {
        return publisher.mayPublish(topics[next++ & (COPIES - 1)], QoS.AT_LEAST_ONCE, false);
    }

    /** A topic that the last of all rules matches. */
    @Benchmark
    public Decision walked() {
        return permissions.mayPublish(topics[next++ & (COPIES - 1)], QoS.AT_LEAST_ONCE, false);
    }

    /** A message on its way to a subscriber, by a rule behind a level with a thousand names. */
    @Benchmark
    public Decision received() {
        return permissions.mayReceive(lastTopics[next++ & (COPIES - 1)]);
    }

    /** A subscription that rules cut into. */
    @Benchmark
    public SubscriptionDecision subscribed() {
        return permissions.maySubscribe("devices/device-100007/up/#", QoS.AT_LEAST_ONCE);
    }
}
