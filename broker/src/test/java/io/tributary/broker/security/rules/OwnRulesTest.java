package io.tributary.broker.security.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.Permissions;
import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that come with a client's principal, or that somebody keeps for it. */
class OwnRulesTest {
    private static final List<Map<String, Object>> WRITTEN = List.of(
            Map.of("deny", "subscribe", "topic", "fleet/+/secrets/#"),
            Map.of("allow", "publish", "topic", "devices/${clientid}/up/#", "max-qos", 1L, "retain", false),
            Map.of("allow", "publish", "topic", "kept", "retain", true),
            Map.of("allow", "all", "topic", "fleet/#", "max-qos", 2.0));

    private final Map<Principal, List<Rule>> kept = new HashMap<>();

    @Test
    void areWrittenAndReadAlike() {
        List<Rule> rules = OwnRules.parse(WRITTEN);
        assertThat(rules)
                .containsExactly(
                        new Rule(Effect.DENY, Action.SUBSCRIBE, TopicPattern.parse("fleet/+/secrets/#")),
                        new Rule(
                                Effect.ALLOW,
                                Action.PUBLISH,
                                TopicPattern.parse("devices/${clientid}/up/#"),
                                QoS.AT_LEAST_ONCE,
                                Retain.NO),
                        new Rule(
                                Effect.ALLOW, Action.PUBLISH, TopicPattern.parse("kept"), QoS.EXACTLY_ONCE, Retain.YES),
                        new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse("fleet/#")));
        String text = OwnRules.text(rules);
        assertThat(text.split("\0", -1)[1]).isEqualTo("+p1n devices/${clientid}/up/#");
        assertThat(OwnRules.of(principal(text), OwnRules.Keeper.NONE)).isEqualTo(rules);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            topic=a                                     | rules[0] must have either allow or deny
            allow=publish deny=publish topic=a          | rules[0] must have either allow or deny
            allow=everything topic=a                    | rules[0] is not about publish, subscribe or all
            allow=publish                               | rules[0] must have a topic
            allow=publish topic=a/#/b                   | rules[0] 'a/#/b' cannot be
            allow=publish topic=a/${nobody}             | rules[0]
            allow=publish topic=a max-qos=3             | rules[0] has a max-qos that is not 0, 1 or 2
            deny=publish topic=a max-qos=1              | rules[0] max-qos has no meaning
            allow=subscribe topic=a retain=true         | rules[0] retain has no meaning
            allow=publish topic=a retain=maybe          | rules[0] has a retain that is neither true nor false
            allow=publish topic=a clients=x             | rules[0] has 'clients'; a rule has allow, deny, max-qos
            """)
    void areRefusedWhenOneIsNotWellMade(String fields, String words) {
        Map<String, Object> rule = new HashMap<>();
        for (String field : fields.split(" ", -1)) {
            String[] parts = field.split("=", 2);
            rule.put(parts[0], parts[1]);
            if (parts[1].matches("\\d")) {
                rule.put(parts[0], Integer.valueOf(parts[1]));
            } else if (parts[1].equals("true")) {
                rule.put(parts[0], true);
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OwnRules.parse(List.of(rule)))
                .withMessageStartingWith(words);
    }

    @Test
    void areRefusedWhenThereIsNoList() {
        for (Object value : Arrays.asList("allow", Map.of("allow", "publish"), List.of(), List.of("allow"), 1)) {
            assertThatIllegalArgumentException().isThrownBy(() -> OwnRules.parse(value));
        }
    }

    @Test
    void decideAloneWhenThereAreNoOthersAndAfterThoseThatThereAre() {
        Principal who = principal(OwnRules.text(List.of(allow("mine/${clientid}/#"))));
        Permissions alone = new Rules(List.of()).bind(client(who));
        assertThat(mayPublish(alone, "mine/c/x")).isTrue();
        assertThat(mayPublish(alone, "mine/d/x")).isFalse();
        assertThat(mayPublish(alone, "else")).isFalse();
        RuleSet set = new RuleSet(
                "set",
                Audience.EVERYBODY,
                List.of(new Rule(Effect.DENY, Action.ALL, TopicPattern.parse("mine/c/secret")), allow("open")));
        Permissions both = new Rules(List.of(set)).bind(client(who));
        assertThat(mayPublish(both, "mine/c/x")).isTrue();
        assertThat(mayPublish(both, "mine/c/secret")).isFalse();
        assertThat(mayPublish(both, "open")).isTrue();
        assertThat(mayPublish(new Rules(List.of()).bind(client(principal(OwnRules.NOTHING))), "a"))
                .isFalse();
        assertThat(mayPublish(new Rules(List.of()).bind(client(principal(""))), "a"))
                .as("without rules of anybody")
                .isTrue();
    }

    @Test
    void allowNothingWhenTheyCannotBeRead() {
        for (String damaged : List.of("x", "+p1n", "+p9n a", "?p1n a", "+p1n a\0", "+p1n a/#/b")) {
            Permissions permissions = new Rules(List.of()).bind(client(principal(damaged)));
            assertThat(mayPublish(permissions, "a")).as(damaged).isFalse();
        }
    }

    @Test
    void decideAboutASessionThatIsAway() {
        Principal who = principal(OwnRules.text(List.of(allow("mine/#"))));
        Permissions away = new Rules(List.of()).bindAway(ClientInfo.away("c", null, who));
        assertThat(away.mayReceive("mine/x").allowed()).isTrue();
        assertThat(away.mayReceive("else").allowed()).isFalse();
        assertThat(away.maySubscribe("mine/#", QoS.AT_LEAST_ONCE).extent()).isEqualTo(Extent.WHOLE);
    }

    /** A member of a shared subscription on another node: that node asks again. */
    @Test
    void mayAllowWhenThePrincipalIsNotKnown() {
        Rules rules = new Rules(List.of(new RuleSet("set", Audience.EVERYBODY, List.of(allow("open")))));
        Permissions unknown = rules.bindAway(ClientInfo.named("c", null));
        assertThat(unknown.mayReceive("mine/x").allowed()).isTrue();
        assertThat(unknown.maySubscribe("mine/#", QoS.AT_LEAST_ONCE).extent()).isEqualTo(Extent.CUT);
        assertThat(mayPublish(unknown, "mine/x")).isFalse();
    }

    @Test
    void thoseOfTheKeeperDecideWhenTheyAreRenewed() {
        Rules rules = new Rules(List.of());
        rules.keepOwn(this::kept);
        Principal plain = principal("");
        Principal left = principal(OwnRules.KEPT);
        Permissions ofPlain = rules.bind(client(plain)).remembering();
        Permissions ofLeft = rules.bind(client(left)).remembering();
        assertThat(mayPublish(ofPlain, "a")).as("not known, and never had any").isTrue();
        assertThat(mayPublish(ofLeft, "a")).as("not known any more").isFalse();
        kept.put(plain, List.of(allow("a")));
        kept.put(left, List.of(allow("a")));
        rules.renew();
        assertThat(rules.version()).isEqualTo(2);
        assertThat(mayPublish(ofPlain, "a")).isTrue();
        assertThat(mayPublish(ofPlain, "b")).isFalse();
        assertThat(mayPublish(ofLeft, "a")).isTrue();
        kept.put(left, List.of());
        rules.renew();
        assertThat(mayPublish(ofLeft, "b")).as("none any more").isTrue();
    }

    private @Nullable List<Rule> kept(Principal principal) {
        return kept.get(principal);
    }

    private static boolean mayPublish(Permissions permissions, String topic) {
        return permissions.mayPublish(topic, QoS.AT_LEAST_ONCE, false).allowed();
    }

    private static Rule allow(String topic) {
        return new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse(topic));
    }

    private static Principal principal(String rules) {
        return new Principal("r", "ann", "ann", null, List.of(), null, rules);
    }

    private static ClientInfo client(Principal who) {
        return new ClientInfo("c", "ann", ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp")
                .accepted("c", ClientKind.DEVICE, who, new Accepted());
    }
}
