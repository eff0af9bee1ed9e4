package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that clients choose for themselves so that rules give them more than they should. */
class PlaceholderInjectionTest {
    private static final Rules OWN_TOPICS = rules(
            rule(Effect.ALLOW, "${clientid}/first"),
            rule(Effect.ALLOW, "devices/${clientid}/#"),
            rule(Effect.ALLOW, "devices/${clientid}"));

    /** All is allowed but what a client is to keep its hands off. */
    private static final Rules NOT_OWN_SECRETS = rules(
            rule(Effect.DENY, "devices/${clientid}/secret"),
            rule(Effect.DENY, "${clientid}/secret"),
            rule(Effect.ALLOW, "#"),
            rule(Effect.ALLOW, "$SYS/#"),
            rule(Effect.ALLOW, "$other/#"));

    @ParameterizedTest
    @ValueSource(
            strings = {"", "+", "#", "a/b", "/", "a/#", "+/+", "a+", "#a", "a\0", "\0", "$SYS", "$SYS/#", "$share/x/#"})
    void nothingIsAllowedWhenIdentifierIsNoLevel(String clientId) {
        Permissions client = OWN_TOPICS.bind(Subjects.ofClientId(clientId));
        for (String topic : List.of(
                "devices/a/up", "devices/b", "devices//up", "devices/a/b/up", "a/first", "/first", "$SYS/first")) {
            assertThat(client.mayPublish(topic, QoS.AT_MOST_ONCE, false).allowed())
                    .as(topic)
                    .isFalse();
            assertThat(client.mayReceive(topic).allowed()).as(topic).isFalse();
        }
        for (String filter : List.of(
                "#",
                "+/first",
                "devices/#",
                "devices/+/#",
                "devices/+",
                "devices/a/#",
                "devices//#",
                "+/+",
                "$SYS/first")) {
            assertThat(client.maySubscribe(filter, QoS.AT_MOST_ONCE).extent())
                    .as(filter)
                    .isEqualTo(Extent.REFUSED);
        }
    }

    /** Spaces, signs of other languages, of regular expressions and of placeholders are a level like any other. */
    @ParameterizedTest
    @ValueSource(
            strings = {"a", " ", " a b ", "*", "?", ".*", "${clientid}", "\\", "%c", "\u00e9", "\ud83d\udca1", "null"})
    void ownTopicsAreAllowedWhenIdentifierIsALevel(String clientId) {
        Permissions client = OWN_TOPICS.bind(Subjects.ofClientId(clientId));
        boolean reserved = clientId.startsWith("$");
        assertThat(client.mayPublish("devices/" + clientId + "/up", QoS.AT_MOST_ONCE, false)
                        .allowed())
                .isTrue();
        assertThat(client.mayPublish(clientId + "/first", QoS.AT_MOST_ONCE, false)
                        .allowed())
                .isEqualTo(!reserved);
        assertThat(client.maySubscribe("devices/" + clientId + "/#", QoS.AT_MOST_ONCE)
                        .extent())
                .isEqualTo(Extent.WHOLE);
        assertThat(client.mayPublish("devices/other/up", QoS.AT_MOST_ONCE, false)
                        .allowed())
                .isFalse();
        assertThat(client.maySubscribe("devices/+/#", QoS.AT_MOST_ONCE).extent())
                .isEqualTo(Extent.REFUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "+", "#", "a/b", "a\0"})
    void everySecretIsDeniedWhenIdentifierIsNoLevel(String clientId) {
        Permissions client = NOT_OWN_SECRETS.bind(Subjects.ofClientId(clientId));
        for (String topic : List.of("devices/a/secret", "devices//secret", "b/secret", "$SYS/secret")) {
            assertThat(client.mayPublish(topic, QoS.AT_MOST_ONCE, false).allowed())
                    .as(topic)
                    .isFalse();
            assertThat(client.maySubscribe(topic, QoS.AT_MOST_ONCE).extent())
                    .as(topic)
                    .isEqualTo(Extent.REFUSED);
        }
        assertThat(client.maySubscribe("devices/#", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
        assertThat(client.maySubscribe("$SYS/#", QoS.AT_MOST_ONCE).extent()).isEqualTo(Extent.CUT);
        assertThat(client.mayPublish("devices/a/open", QoS.AT_MOST_ONCE, false).allowed())
                .isTrue();
    }

    /** A name that begins with $ is an ordinary level but at the beginning of a topic. */
    @ParameterizedTest
    @CsvSource({
        "devices/$SYS/secret, false",
        "devices/a/secret, true",
        "$SYS/secret, false",
        "$other/secret, false",
        "a/secret, false",
        "$SYS/open, true"
    })
    void firstLevelIsAnyWhenIdentifierBeginsWithDollar(String topic, boolean allowed) {
        Permissions client = NOT_OWN_SECRETS.bind(Subjects.ofClientId("$SYS"));
        assertThat(client.mayReceive(topic).allowed()).isEqualTo(allowed);
        assertThat(client.maySubscribe(topic, QoS.AT_MOST_ONCE).granted()).isEqualTo(allowed);
    }

    @Test
    void onlyOrdinaryGroupsAllowWhenSomeAreNoLevels() {
        Rules rules = rules(
                rule(Effect.DENY, "teams/${group}/secret"),
                rule(Effect.ALLOW, "teams/${group}/#"),
                rule(Effect.ALLOW, "all"),
                rule(Effect.ALLOW, "teams/red/secret"));
        Permissions strange = rules.bind(inGroups("blue", "+"));
        assertThat(strange.mayReceive("teams/blue/news").allowed()).isTrue();
        assertThat(strange.mayReceive("teams/red/news").allowed()).isFalse();
        assertThat(strange.maySubscribe("teams/+/#", QoS.AT_MOST_ONCE).granted())
                .isFalse();
        assertThat(strange.maySubscribe("teams/blue/#", QoS.AT_MOST_ONCE).extent())
                .isEqualTo(Extent.CUT);
        assertThat(strange.mayReceive("teams/red/secret").allowed()).isFalse();
        Permissions none = rules.bind(inGroups());
        assertThat(none.mayReceive("teams/blue/news").allowed()).isFalse();
        assertThat(none.mayReceive("all").allowed()).isTrue();
        Permissions ordinary = rules.bind(inGroups("blue", "green"));
        assertThat(ordinary.mayReceive("teams/green/news").allowed()).isTrue();
        assertThat(ordinary.mayReceive("teams/green/secret").allowed()).isFalse();
        assertThat(ordinary.mayReceive("teams/red/secret").allowed()).isTrue();
    }

    private static Subject inGroups(String... groups) {
        return new Subject("a", null, null, null, Set.of(groups), null, null, Map.of(), List.of());
    }

    private static Rules rules(Rule... rules) {
        return new Rules(List.of(new RuleSet("own", Audience.EVERYBODY, List.of(rules))));
    }

    private static Rule rule(Effect effect, String topic) {
        return new Rule(effect, Action.ALL, TopicPattern.parse(topic));
    }
}
