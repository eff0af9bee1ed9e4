package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.broker.security.rules.SubscriptionDecision.Extent;
import io.tributary.common.mqtt.QoS;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionsTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Subject PUMP = Subject.ofClientId("pump");

    private static final RuleSet DEVICES = new RuleSet(
            "devices",
            new Audience(Set.of("devices"), Set.of(), List.of(), Set.of(), List.of()),
            List.of(
                    deny(Action.SUBSCRIBE, "fleet/+/secrets/#"),
                    new Rule(
                            Effect.ALLOW,
                            Action.PUBLISH,
                            TopicPattern.parse("devices/${clientid}/up/#"),
                            QoS.AT_LEAST_ONCE,
                            Retain.NO),
                    allow(Action.SUBSCRIBE, "devices/${clientid}/down/#"),
                    new Rule(
                            Effect.ALLOW,
                            Action.SUBSCRIBE,
                            TopicPattern.parse("fleet/#"),
                            QoS.AT_MOST_ONCE,
                            Retain.ANY)));

    private final Permissions device = new Rules(List.of(DEVICES)).bind(inGroup("devices"));

    @ParameterizedTest
    @CsvSource({
        "devices/pump/up, AT_LEAST_ONCE, false, true, devices.rules[1]",
        "devices/pump/up/a/b, AT_MOST_ONCE, false, true, devices.rules[1]",
        "devices/pump/up, EXACTLY_ONCE, false, false, devices.rules[1]: max-qos 1",
        "devices/pump/up, AT_LEAST_ONCE, true, false, no rule allows it",
        "devices/pump2/up, AT_LEAST_ONCE, false, false, no rule allows it",
        "devices/pump/down, AT_LEAST_ONCE, false, false, no rule allows it",
        "fleet/7, AT_MOST_ONCE, false, false, no rule allows it"
    })
    void messageIsAllowedWhenFirstRuleSaysSo(String topic, QoS qos, boolean retain, boolean allowed, String reason) {
        assertThat(device.mayPublish(topic, qos, retain)).isEqualTo(new Decision(allowed, reason));
    }

    @ParameterizedTest
    @CsvSource({
        "devices/pump/down/#, EXACTLY_ONCE, WHOLE, EXACTLY_ONCE, devices.rules[2]",
        "devices/pump/down, AT_LEAST_ONCE, WHOLE, AT_LEAST_ONCE, devices.rules[2]",
        "devices/+/down, AT_LEAST_ONCE, REFUSED, AT_LEAST_ONCE, no rule allows it",
        "devices/pump/up, AT_LEAST_ONCE, REFUSED, AT_LEAST_ONCE, no rule allows it",
        "fleet/#, EXACTLY_ONCE, CUT, AT_MOST_ONCE, devices.rules[3]",
        "fleet/+/+/key, EXACTLY_ONCE, CUT, AT_MOST_ONCE, devices.rules[3]",
        "fleet/7/state, EXACTLY_ONCE, WHOLE, AT_MOST_ONCE, devices.rules[3]",
        "fleet/7/secrets, EXACTLY_ONCE, REFUSED, EXACTLY_ONCE, devices.rules[0]",
        "fleet/+/secrets/key, EXACTLY_ONCE, REFUSED, EXACTLY_ONCE, devices.rules[0]",
        "$share/g/fleet/7/state, EXACTLY_ONCE, WHOLE, AT_MOST_ONCE, devices.rules[3]",
        "$share/g/#, EXACTLY_ONCE, REFUSED, EXACTLY_ONCE, no rule allows it"
    })
    void subscriptionIsGrantedWhenFirstRuleThatCoversItSaysSo(
            String filter, QoS asked, Extent extent, QoS granted, String reason) {
        assertThat(device.subscribe(filter, asked)).isEqualTo(new SubscriptionDecision(extent, granted, reason));
    }

    @Test
    void messageIsNotReceivedWhenSubscriptionIsCut() {
        assertThat(device.mayReceive("fleet/7/state").allowed()).isTrue();
        assertThat(device.mayReceive("fleet/7/secrets/key")).isEqualTo(new Decision(false, "devices.rules[0]"));
        assertThat(device.mayReceive("fleet/7/secrets").allowed()).isFalse();
    }

    @Test
    void nothingIsAllowedWhenRulesAreForOthers() {
        Permissions stranger = new Rules(List.of(DEVICES)).bind(inGroup("dashboards"));
        assertThat(stranger.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed()).isFalse();
        assertThat(stranger.subscribe("fleet/7", QoS.AT_MOST_ONCE).granted()).isFalse();
        assertThat(stranger.mayReceive("a").allowed()).isFalse();
    }

    @Test
    void everythingIsAsBeforeWhenThereAreNoRulesAtAll() {
        Permissions anybody = new Rules(List.of()).bind(PUMP);
        assertThat(anybody.mayPublish("a", QoS.EXACTLY_ONCE, true).allowed()).isTrue();
        assertThat(anybody.mayPublish("$SYS/a", QoS.AT_MOST_ONCE, false).allowed())
                .isFalse();
        assertThat(anybody.subscribe("#", QoS.EXACTLY_ONCE).extent()).isEqualTo(Extent.WHOLE);
        assertThat(anybody.mayReceive("$SYS/a").allowed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "#, $SYS/a, false",
        "+/a, $SYS/a, false",
        "${clientid}/a, $SYS/a, false",
        "$SYS/#, $SYS/a, true",
        "$SYS/+, $SYS/a, true",
        "$SYS/#, $SYS, true"
    })
    void reservedTopicIsAllowedWhenRuleNamesIt(String written, String topic, boolean allowed) {
        Permissions client = rules(allow(Action.ALL, written)).bind(Subject.ofClientId("$SYS"));
        assertThat(client.mayPublish(topic, QoS.AT_MOST_ONCE, false).allowed()).isEqualTo(allowed);
        assertThat(client.mayReceive(topic).allowed()).isEqualTo(allowed);
        assertThat(client.subscribe(topic, QoS.AT_MOST_ONCE).granted()).isEqualTo(allowed);
    }

    @Test
    void firstRuleDecidesWhenSetsAreForDifferentClients() {
        RuleSet everybody = new RuleSet("all", Audience.EVERYBODY, List.of(deny(Action.ALL, "a/b")));
        RuleSet some = new RuleSet(
                "some",
                new Audience(Set.of(), Set.of(), List.of(TextPattern.of("pu*")), Set.of(), List.of()),
                List.of(allow(Action.ALL, "a/+")));
        assertThat(new Rules(List.of(everybody, some))
                        .bind(PUMP)
                        .mayReceive("a/b")
                        .allowed())
                .isFalse();
        assertThat(new Rules(List.of(some, everybody))
                        .bind(PUMP)
                        .mayReceive("a/b")
                        .allowed())
                .isTrue();
        RuleSet late = new RuleSet("late", Audience.EVERYBODY, List.of(allow(Action.ALL, "#")));
        Permissions between = new Rules(List.of(everybody, some, late)).bind(PUMP);
        assertThat(between.mayReceive("a/c").reason()).isEqualTo("some.rules[0]");
        assertThat(between.mayReceive("c").reason()).isEqualTo("late.rules[0]");
        assertThat(between.subscribe("a/+", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
    }

    @Test
    void ownRulesComeLastWhenThereAreOthers() {
        Subject own = new Subject(
                "pump", null, null, null, Set.of(), null, null, Map.of(), List.of(allow(Action.ALL, "a/#")));
        Permissions both = rules(deny(Action.ALL, "a/b")).bind(own);
        assertThat(both.mayReceive("a/b").reason()).isEqualTo("set.rules[0]");
        assertThat(both.mayReceive("a/c").reason()).isEqualTo("own.rules[0]");
        assertThat(both.subscribe("a/#", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
        Permissions alone = new Rules(List.of()).bind(own);
        assertThat(alone.mayPublish("a/b", QoS.AT_MOST_ONCE, false).allowed()).isTrue();
        assertThat(alone.mayPublish("b", QoS.AT_MOST_ONCE, false).allowed()).isFalse();
    }

    @Test
    void newRulesHoldAtOnceWhenTheyAreReplaced() {
        Rules rules = rules(allow(Action.ALL, "a"));
        Permissions client = rules.bind(PUMP);
        PublisherPermissions publisher = new PublisherPermissions(client);
        assertThat(publisher.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed()).isTrue();
        rules.replace(List.of(new RuleSet("new", Audience.EVERYBODY, List.of(allow(Action.ALL, "b")))));
        assertThat(rules.version()).isEqualTo(2);
        assertThat(publisher.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed()).isFalse();
        assertThat(client.mayReceive("a").allowed()).isFalse();
        assertThat(publisher.mayPublish("b", QoS.AT_MOST_ONCE, false).reason()).isEqualTo("new.rules[0]");
        rules.replace(List.of());
        assertThat(publisher.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed()).isTrue();
        assertThat(publisher.mayPublish("$a", QoS.AT_MOST_ONCE, false).allowed())
                .isFalse();
    }

    @Test
    void publisherIsAnsweredAlikeWhenItHasManyTopics() {
        PublisherPermissions publisher = new PublisherPermissions(rules(
                        deny(Action.PUBLISH, "t/3"),
                        new Rule(Effect.DENY, Action.PUBLISH, TopicPattern.parse("t/4"), QoS.EXACTLY_ONCE, Retain.YES),
                        allow(Action.PUBLISH, "t/#"))
                .bind(PUMP));
        for (int i = 0; i < 100; i++) {
            int number = i % 11;
            String topic = "t/" + number;
            assertThat(publisher.mayPublish(topic, QoS.AT_LEAST_ONCE, false).allowed())
                    .isEqualTo(number != 3);
            assertThat(publisher.mayPublish(topic, QoS.AT_LEAST_ONCE, true).allowed())
                    .isEqualTo(number != 3 && number != 4);
        }
        assertThat(publisher
                        .mayPublish("t/" + "x".repeat(1_000), QoS.AT_LEAST_ONCE, true)
                        .allowed())
                .isTrue();
    }

    /** The deepest topics that a rule and a client can write. */
    @Test
    void stackIsLargeEnoughWhenTopicsAreDeep() {
        String deep = "+/".repeat(127);
        Permissions client = rules(deny(Action.ALL, deep + "+"), allow(Action.ALL, deep + "#"))
                .bind(PUMP);
        String deeper = "a" + "/a".repeat(30_000);
        assertThat(client.mayReceive(deeper).allowed()).isTrue();
        assertThat(client.subscribe("+/".repeat(30_000) + "#", QoS.AT_MOST_ONCE).extent())
                .isEqualTo(Extent.WHOLE);
        assertThat(client.subscribe("#", QoS.AT_MOST_ONCE).granted()).isFalse();
    }

    @Test
    void noMemoryIsTakenWhenMessagesAreDecided() {
        List<Rule> rules = new ArrayList<>(Collections.nCopies(500, deny(Action.ALL, "x/${clientid}/+/y/#")));
        rules.add(allow(Action.ALL, "devices/${clientid}/up/#"));
        Permissions client = rules(rules.toArray(Rule[]::new)).bind(PUMP);
        PublisherPermissions publisher = new PublisherPermissions(client);
        String[] topics = {"devices/pump/up/a", "x/pump/1/y", "somewhere/else"};
        decide(client, publisher, topics, 1_000);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        decide(client, publisher, topics, 1_000);
        // One byte a decision would be 9,000; the question itself takes some.
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(4_000);
    }

    private static void decide(Permissions client, PublisherPermissions publisher, String[] topics, int times) {
        int allowed = 0;
        for (int i = 0; i < times; i++) {
            for (String topic : topics) {
                allowed += client.mayPublish(topic, QoS.AT_LEAST_ONCE, true).allowed() ? 1 : 0;
                allowed += publisher.mayPublish(topic, QoS.AT_LEAST_ONCE, true).allowed() ? 1 : 0;
                allowed += client.mayReceive(topic).allowed() ? 1 : 0;
            }
        }
        assertThat(allowed).isEqualTo(3 * times);
    }

    @Test
    void rulesAreRefusedWhenTheyNeedMoreThanTheIdentifier() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RuleAuthorizer(List.of(DEVICES)))
                .withMessageStartingWith("devices is for certain groups, users, listeners or addresses");
        RuleSet ofUser = new RuleSet("u", Audience.EVERYBODY, List.of(deny(Action.ALL, "${username}")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RuleAuthorizer(List.of(ofUser)))
                .withMessageStartingWith("u has the topic ${username}");
    }

    private static Subject inGroup(String group) {
        return new Subject("pump", null, null, null, Set.of(group), null, null, Map.of(), List.of());
    }

    private static Rules rules(Rule... rules) {
        return new Rules(List.of(new RuleSet("set", Audience.EVERYBODY, Arrays.asList(rules))));
    }

    private static Rule allow(Action action, String topic) {
        return new Rule(Effect.ALLOW, action, TopicPattern.parse(topic));
    }

    private static Rule deny(Action action, String topic) {
        return new Rule(Effect.DENY, action, TopicPattern.parse(topic));
    }
}
