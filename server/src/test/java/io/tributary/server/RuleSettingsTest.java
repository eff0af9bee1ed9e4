package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.TextPattern;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.broker.security.rules.Audience;
import io.tributary.broker.security.rules.Rule;
import io.tributary.broker.security.rules.Rule.Action;
import io.tributary.broker.security.rules.Rule.Effect;
import io.tributary.broker.security.rules.Rule.Retain;
import io.tributary.broker.security.rules.RuleSet;
import io.tributary.broker.security.rules.TopicPattern;
import io.tributary.common.mqtt.QoS;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RuleSettingsTest {

    @TempDir
    private Path folder;

    @Test
    void ruleSetsKeepTheirOrderWhenTheyAreInAFile() throws Exception {
        write("""
                tributary:
                  security:
                    rules:
                      - for: {groups: [devices, pumps]}
                        rules:
                          - {deny: subscribe, topic: "fleet/+/secrets/#"}
                          - {allow: publish, topic: "devices/${clientid}/up/#", max-qos: 1, retain: no}
                          - {allow: subscribe, topic: "${username}/${claim.site}", max-qos: 0}
                      - name: insiders
                        for: {users: [ann], client-ids: ["app-*"], listeners: [tcp], addresses: [10.0.0.0/8, "::1"]}
                        rules: [{allow: all, topic: "#"}, {deny: publish, topic: "a", retain: yes}]
                """);
        RuleSet devices = new RuleSet(
                "rules[0]",
                new Audience(Set.of("devices", "pumps"), Set.of(), List.of(), Set.of(), List.of()),
                List.of(
                        new Rule(Effect.DENY, Action.SUBSCRIBE, TopicPattern.parse("fleet/+/secrets/#")),
                        new Rule(
                                Effect.ALLOW,
                                Action.PUBLISH,
                                TopicPattern.parse("devices/${clientid}/up/#"),
                                QoS.AT_LEAST_ONCE,
                                Retain.NO),
                        new Rule(
                                Effect.ALLOW,
                                Action.SUBSCRIBE,
                                TopicPattern.parse("${username}/${claim.site}"),
                                QoS.AT_MOST_ONCE,
                                Retain.ANY)));
        RuleSet insiders = new RuleSet(
                "insiders",
                new Audience(
                        Set.of(),
                        Set.of("ann"),
                        List.of(TextPattern.of("app-*")),
                        Set.of("tcp"),
                        List.of(AddressRange.parse("10.0.0.0/8"), AddressRange.parse("::1"))),
                List.of(
                        new Rule(Effect.ALLOW, Action.ALL, TopicPattern.parse("#")),
                        new Rule(Effect.DENY, Action.PUBLISH, TopicPattern.parse("a"), QoS.EXACTLY_ONCE, Retain.YES)));
        assertThat(rules()).containsExactly(devices, insiders);
    }

    /** A rule about the client's user name must not become one about that of the broker's process. */
    @Test
    void placeholdersStayWhenThereAreSettingsOfTheirName() {
        System.setProperty("username", "root");
        try {
            String[] arguments = {
                location(),
                "--tributary.node-name=${username}",
                "--tributary.security.rules[0].rules[0].allow=all",
                "--tributary.security.rules[0].rules[0].topic=of/${username}"
            };
            assertThat(Applications.config(arguments).nodeName()).isEqualTo("root");
            assertThat(Applications.serverConfig(arguments).rules())
                    .extracting(set -> set.rules().getFirst().topic().toString())
                    .containsExactly("of/${username}");
        } finally {
            System.clearProperty("username");
        }
    }

    @Test
    void thereAreNoRulesWhenNothingIsSaid() {
        assertThat(rules()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {allow: all, topic: "a/${client}"}         | .topic: '${client}' is not a placeholder; there are ${clientid}, ${username}, ${cn}, ${tenant}, ${group} and ${claim.NAME}, each for a whole level
            {allow: all, topic: "a/#/b"}               | .topic: 'a/#/b' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]
            {allow: all, topic: "$share/g/a"}          | .topic: '$share/g/a' is a shared subscription; rules are about the filter behind $share/NAME/
            {allow: all, deny: all, topic: a}          | : must have either allow or deny, one of publish, subscribe, all
            {deny: all, topic: a, max-qos: 1}          | .max-qos: '1' has no meaning with deny; only allow has it
            {allow: all, topic: a, retain: no}         | .retain: 'false' has no meaning but with publish
            """)
    void startStopsWhenARuleIsWrong(String rule, String words) throws Exception {
        write("""
                tributary:
                  security:
                    rules:
                      - rules:
                          - {allow: all, topic: "b"}
                          - %s
                """.formatted(rule));
        assertThat(Applications.failure(location())).isEqualTo("tributary.security.rules[0].rules[1]" + words);
    }

    @Test
    void allWrongRulesAreNamedWhenThereAreSeveral() throws Exception {
        write("""
                tributary:
                  security:
                    rules:
                      - rules: [{allow: all, topic: "a#"}, {allow: all, topic: "+b"}]
                      - for: {listeners: [nowhere]}
                        rules: [{allow: all, topic: "c"}]
                """);
        assertThat(Applications.failure(location())).isEqualTo("""
                tributary.security.rules[0].rules[0].topic: 'a#' cannot be: # is not the whole last level of the topic filter [MQTT-4.7.1-1]
                tributary.security.rules[0].rules[1].topic: '+b' cannot be: + is not a whole level of the topic filter [MQTT-4.7.1-2]
                tributary.security.rules[1].for.listeners[0]: 'nowhere' is not the name of a listener; there are tcp, ws""");
    }

    @ParameterizedTest
    @CsvSource({"rules: [], rules", "'rules: [{rules: []}]', 'rules[0].rules'"})
    void startStopsWhenAListIsLeftEmpty(String text, String name) throws Exception {
        write("tributary:\n  security:\n    " + text + "\n");
        assertThat(Applications.failure(location()))
                .startsWith("tributary.security." + name + ": is a list, and must not be empty");
    }

    @Test
    void startStopsWhenASetHasTooManyRules() throws Exception {
        write("tributary:\n  security:\n    rules:\n      - rules:\n"
                + IntStream.rangeClosed(0, RuleSet.MOST_RULES)
                        .mapToObj(i -> "          - {allow: all, topic: 'a/" + i + "'}\n")
                        .collect(Collectors.joining()));
        assertThat(Applications.failure(location()))
                .isEqualTo("tributary.security.rules[0].rules: has 1001 rules; it must have 1 to 1000");
    }

    private void write(String yaml) throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), yaml);
    }

    private String location() {
        return "--spring.config.additional-location=file:" + folder + "/";
    }

    private List<RuleSet> rules() {
        return Applications.serverConfig(location()).rules();
    }
}
