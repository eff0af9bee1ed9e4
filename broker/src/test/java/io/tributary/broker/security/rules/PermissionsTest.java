package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Decision;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
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
    private static final Subject PUMP = Subjects.ofClientId("pump");

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
        String ruleSet = reason.startsWith("devices") ? "devices" : null;
        assertThat(device.mayPublish(topic, qos, retain)).isEqualTo(new Decision(allowed, reason, ruleSet));
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
        assertThat(device.maySubscribe(filter, asked)).isEqualTo(new SubscriptionDecision(extent, granted, reason));
    }

    @Test
    void messageIsNotReceivedWhenSubscriptionIsCut() {
        assertThat(device.mayReceive("fleet/7/state").allowed()).isTrue();
        assertThat(device.mayReceive("fleet/7/secrets/key"))
                .isEqualTo(new Decision(false, "devices.rules[0]", "devices"));
        assertThat(device.mayReceive("fleet/7/secrets").allowed()).isFalse();
    }

    @Test
    void nothingIsAllowedWhenRulesAreForOthers() {
        Permissions stranger = new Rules(List.of(DEVICES)).bind(inGroup("dashboards"));
        assertThat(stranger.mayPublish("a", QoS.AT_MOST_ONCE, false).allowed()).isFalse();
        assertThat(stranger.maySubscribe("fleet/7", QoS.AT_MOST_ONCE).granted()).isFalse();
        assertThat(stranger.mayReceive("a").allowed()).isFalse();
    }

    @Test
    void everythingIsAsBeforeWhenThereAreNoRulesAtAll() {
        Permissions anybody = new Rules(List.of()).bind(PUMP);
        assertThat(anybody.mayPublish("a", QoS.EXACTLY_ONCE, true).allowed()).isTrue();
        assertThat(anybody.mayPublish("$SYS/a", QoS.AT_MOST_ONCE, false).allowed())
                .isFalse();
        assertThat(anybody.maySubscribe("#", QoS.EXACTLY_ONCE).extent()).isEqualTo(Extent.WHOLE);
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
        Permissions client = rules(allow(Action.ALL, written)).bind(Subjects.ofClientId("$SYS"));
        assertThat(client.mayPublish(topic, QoS.AT_MOST_ONCE, false).allowed()).isEqualTo(allowed);
        assertThat(client.mayReceive(topic).allowed()).isEqualTo(allowed);
        assertThat(client.maySubscribe(topic, QoS.AT_MOST_ONCE).granted()).isEqualTo(allowed);
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
        assertThat(between.maySubscribe("a/+", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
    }

    @Test
    void ownRulesComeLastWhenThereAreOthers() {
        Subject own = new Subject(
                "pump", null, null, null, Set.of(), null, null, Map.of(), List.of(allow(Action.ALL, "a/#")));
        Permissions both = rules(deny(Action.ALL, "a/b")).bind(own);
        assertThat(both.mayReceive("a/b").reason()).isEqualTo("set.rules[0]");
        assertThat(both.mayReceive("a/c").reason()).isEqualTo("own.rules[0]");
        assertThat(both.maySubscribe("a/#", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
        Permissions alone = new Rules(List.of()).bind(own);
        assertThat(alone.mayPublish("a/b", QoS.AT_MOST_ONCE, false).allowed()).isTrue();
        assertThat(alone.mayPublish("b", QoS.AT_MOST_ONCE, false).allowed()).isFalse();
    }

    @Test
    void newRulesHoldAtOnceWhenTheyAreReplaced() {
        Rules rules = rules(allow(Action.ALL, "a"));
        Permissions client = rules.bind(PUMP);
        Permissions publisher = client.remembering();
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
        Permissions publisher = rules(
                        deny(Action.PUBLISH, "t/3"),
                        new Rule(Effect.DENY, Action.PUBLISH, TopicPattern.parse("t/4"), QoS.EXACTLY_ONCE, Retain.YES),
                        allow(Action.PUBLISH, "t/#"))
                .bind(PUMP)
                .remembering();
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
        assertThat(client.maySubscribe("+/".repeat(30_000) + "#", QoS.AT_MOST_ONCE)
                        .extent())
                .isEqualTo(Extent.WHOLE);
        assertThat(client.maySubscribe("#", QoS.AT_MOST_ONCE).granted()).isFalse();
    }

    @Test
    void noMemoryIsTakenWhenMessagesAreDecided() {
        List<Rule> rules = new ArrayList<>(Collections.nCopies(500, deny(Action.ALL, "x/${clientid}/+/y/#")));
        rules.add(allow(Action.ALL, "devices/${clientid}/up/#"));
        Permissions client = rules(rules.toArray(Rule[]::new)).bind(PUMP);
        Permissions publisher = client.remembering();
        String[] topics = {"devices/pump/up/a", "x/pump/1/y", "somewhere/else"};
        decide(client, publisher, topics, 1_000);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        decide(client, publisher, topics, 1_000);
        // One byte a decision would be 9,000; the question itself takes some.
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(4_000);
    }

    private static void decide(Permissions client, Permissions publisher, String[] topics, int times) {
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

    /** A right that depends on the listener is there for a session that is away, and no rule takes it. */
    @Test
    void ruleThatDependsOnTheConnectionAllowsAndDoesNotDenyWhenSessionIsAway() {
        Audience inside = new Audience(Set.of(), Set.of(), List.of(), Set.of("inner"), List.of());
        Audience near =
                new Audience(Set.of(), Set.of(), List.of(), Set.of(), List.of(AddressRange.parse("10.0.0.0/8")));
        Rules all = new Rules(List.of(
                new RuleSet("near", near, List.of(deny(Action.ALL, "a/b"))),
                new RuleSet("inside", inside, List.of(deny(Action.ALL, "a/c"), allow(Action.ALL, "a/#"))),
                new RuleSet("site", Audience.EVERYBODY, List.of(allow(Action.ALL, "at/${claim.site}/#")))));

        Permissions away = all.bindAway(ClientInfo.away("pump", ClientKind.DEVICE, Principal.ofUser("ann")));
        assertThat(away.reading("a/#")).isNull();
        assertThat(away.mayReceive("a/b").allowed()).isTrue();
        assertThat(away.mayReceive("at/7/x").allowed()).isTrue();
        assertThat(away.reading("at/#")).isSameAs(Permissions.nothing());
        assertThat(away.mayReceive("b").allowed()).isFalse();

        Permissions here = all.bind(connected("10.1.2.3:999", "inner", Map.of("site", "7")));
        assertThat(here.mayReceive("a/b").allowed()).isFalse();
        assertThat(here.mayReceive("a/c").allowed()).isFalse();
        assertThat(here.mayReceive("a/d").allowed()).isTrue();
        assertThat(here.mayReceive("at/7/x").allowed()).isTrue();
        assertThat(here.mayReceive("at/8/x").allowed()).isFalse();
        Permissions elsewhere = all.bind(connected("192.0.2.1:999", "outer", Map.of()));
        assertThat(elsewhere.mayReceive("a/d").allowed()).isFalse();
        assertThat(elsewhere.mayReceive("at/7/x").allowed()).isFalse();
    }

    @Test
    void ruleThatDependsOnThePrincipalDecidesWhenSessionIsAway() {
        Rules devices = new Rules(List.of(DEVICES));
        Principal device = new Principal("", "pump", null, null, List.of("devices"), null);
        assertThat(devices.bindAway(ClientInfo.away("pump", null, device)).reading("fleet/#"))
                .isNotNull()
                .isNotSameAs(Permissions.nothing());
        assertThat(devices.bindAway(ClientInfo.away("pump", null, Principal.ANONYMOUS))
                        .reading("fleet/#"))
                .isSameAs(Permissions.nothing());
        assertThat(devices.bindAway(ClientInfo.named("pump", null)).reading("fleet/#"))
                .as("of a session that was stored without its principal")
                .isNull();
        assertThat(devices.bind(ClientInfo.named("pump", null))
                        .mayPublish("devices/pump/up", QoS.AT_MOST_ONCE, false)
                        .allowed())
                .as("of a back-end, which has no groups")
                .isFalse();
    }

    /** Nobody is what he says in CONNECT, but what an authenticator says. */
    @Test
    void userNameIsThePrincipalsWhenClientNamesAnother() {
        ClientInfo client = new ClientInfo("c", "root", ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
        Permissions nobody = rules(allow(Action.ALL, "of/${username}")).bind(client);
        assertThat(nobody.mayReceive("of/root").allowed()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7:51234, 10.0.0.0/8, true",
        "2001:db8:0:0:0:0:0:1:51234, 2001:db8::/32, true",
        "fe80:0:0:0:0:0:0:1%1:51234, fe80::/10, true",
        "10.0.0.7:51234, 11.0.0.0/8, false",
        "local, 0.0.0.0/0, false"
    })
    void addressIsThatOfTheConnection(String remote, String range, boolean allowed) {
        Audience near = new Audience(Set.of(), Set.of(), List.of(), Set.of(), List.of(AddressRange.parse(range)));
        Rules rules = new Rules(List.of(new RuleSet("near", near, List.of(allow(Action.ALL, "a")))));
        assertThat(rules.bind(connected(remote, "tcp", Map.of()))
                        .mayReceive("a")
                        .allowed())
                .isEqualTo(allowed);
    }

    private static ClientInfo connected(String remoteAddress, String listener, Map<String, String> attributes) {
        return new ClientInfo("pump", null, ProtocolVersion.MQTT_5, remoteAddress, listener)
                .accepted(
                        "pump", ClientKind.DEVICE, Principal.ofUser("ann"), new Accepted(null, null, null, attributes));
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
