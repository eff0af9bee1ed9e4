package io.tributary.perf.scenario;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScenarioFileTest {
    private static final String SMALL = """
            parameters: {clients: 10, qos: 1}
            groups:
              - {name: all, count: "${clients}", publish: {topic: "a/{n}", qos: "${qos}", window: 1}}
            """;

    static Stream<String> builtIn() {
        return Library.names().stream();
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void workOutWhenBuiltIn(String name) {
        ScenarioFile file = Library.find(name);
        assertThat(file.title()).isNotBlank();
        for (PlannedRun run : file.runs(Map.of(), null)) {
            Scenario scenario = run.scenario();
            assertThat(scenario.source()).as("its source").isNotBlank();
            assertThat(scenario.same()).as("what is the same").isNotEmpty();
            assertThat(scenario.differs()).as("what differs").isNotEmpty();
            assertThat(scenario.steps().stream().anyMatch(Step::measured)).isTrue();
        }
        Scenario first = file.runs(Map.of(), 0.1).getFirst().scenario();
        assertThat(Arrays.stream(new Plan(first, 1, Share.ALL).fanOut()).boxed())
                .as("deliveries of each publisher's topic")
                .allMatch(receivers -> receivers > 0);
    }

    /** What the publication says of each mix, in whole messages a second; its public code makes up to six less. */
    @ParameterizedTest
    @CsvSource({"smart-city, 541, 109", "factory, 40, 590", "healthcare, 24, 5", "home, 20, 148"})
    void addsUpToPublicationWhenDevicesAreMixed(String mix, int devices, double rate) {
        int nodes = 5;
        Scenario scenario = Library.find("device-mix")
                .runs(Map.of("mix", mix, "qos", "2", "nodes", "5"), null)
                .getFirst()
                .scenario();
        Group subscribers = scenario.groups().getFirst();
        assertThat(subscribers.count()).isEqualTo(nodes);
        assertThat(subscribers.churn()).isNull();
        assertThat(scenario.clients()).isEqualTo(nodes * devices + nodes);
        double sum = 0;
        for (Group group : scenario.groups().subList(1, scenario.groups().size())) {
            PublishOptions publish = requireNonNull(group.publish());
            sum += group.count() * requireNonNull(publish.rate()).mean();
            assertThat(group.churn()).isNotNull();
            assertThat(group.subscribes()).isFalse();
        }
        assertThat(sum / nodes).isCloseTo(rate, within(6.0));
        assertThat(new Plan(scenario, 1, Share.ALL).fanOut()).containsOnly(nodes);
    }

    @Test
    void sharesOutTheSameRateWhenApplicationsAreMore() {
        List<PlannedRun> runs = Library.find("applications").runs(Map.of(), null);
        assertThat(runs)
                .extracting(PlannedRun::label)
                .containsExactly("applications=1", "applications=10", "applications=100", "applications=500");
        for (PlannedRun run : runs) {
            Scenario scenario = run.scenario();
            Group applications = scenario.groups().getFirst();
            Group publishers = scenario.groups().getLast();
            PublishOptions publish = requireNonNull(publishers.publish());
            assertThat(publishers.count() * requireNonNull(publish.rate()).mean())
                    .isEqualTo(5_000);
            Plan plan = new Plan(scenario, 1, Share.ALL);
            assertThat(plan.fanOut()).containsOnly(1);
            assertThat(plan.clients(applications))
                    .allMatch(client -> plan.sourcesFor(client).length == publishers.count() / applications.count());
        }
    }

    @Test
    void refusesToBeInStepWhenRateIsDrawn() {
        ScenarioFile file = Library.find("p2p-rate");
        Map<String, String> drawn = Map.of(
                "pairs",
                "10",
                "groups.publishers.publish.pacing",
                "in-step",
                "groups.publishers.publish.rate",
                "{mean: 1, deviation: 0.1}");
        assertThatThrownBy(() -> file.runs(drawn, null).getFirst().scenario())
                .hasMessageContaining("publish.pacing: in-step needs a rate, and one that is always the same");
    }

    @Test
    void takesWholeNameWhenSettingOfTheTargetIsChanged() {
        ScenarioFile file = Library.find("p2p");
        Scenario scenario = file.runs(Map.of("target-settings.tributary.cluster.shards", "8"), null)
                .getFirst()
                .scenario();
        assertThat(scenario.targetSettings()).containsExactly(Map.entry("tributary.cluster.shards", "8"));
        assertThat(file.runs(Map.of(), null).getFirst().scenario().targetSettings())
                .isEmpty();
    }

    @Test
    void dividesParametersWhenTold() {
        Scenario scenario = Library.find("latency")
                .runs(Map.of("clients", "50", "messages", "5000", "payload", "64"), null)
                .getFirst()
                .scenario();
        assertThat(scenario.steps().get(3).messages()).isEqualTo(100);
    }

    @Test
    void takesDefaultsWhenNothingIsSaid() {
        Scenario scenario = only(SMALL, Map.of());
        assertThat(scenario.threads()).isEqualTo(1);
        assertThat(scenario.mqtt().version()).isEqualTo("3.1.1");
        assertThat(scenario.steps()).extracting(Step::name).containsExactly("connect", "warm-up", "measured", "drain");
        assertThat(scenario.limits().stall()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void changesParametersAndSettingsWhenTold() {
        Scenario scenario = only(
                SMALL,
                Map.of("clients", "7", "mqtt.version", "5", "groups.all.persistent", "true", "steps.2.for", "90s"));
        assertThat(scenario.groups().getFirst().count()).isEqualTo(7);
        assertThat(scenario.groups().getFirst().persistent()).isTrue();
        assertThat(scenario.mqtt().protocol().isMqtt5()).isTrue();
        assertThat(scenario.steps().get(2).length()).isEqualTo(Duration.ofSeconds(90));
    }

    @Test
    void saysWhatWasRunWhenParametersAreChanged() {
        ScenarioFile file = Library.find("latency-rate");
        Scenario told = file.runs(Map.of("pairs", "20"), null).getFirst().scenario();
        assertThat(told.same()).isEmpty();
        assertThat(told.differs())
                .anyMatch(line -> line.startsWith("20 persistent pairs, QoS 1"))
                .contains("changed for this run: pairs=20 (1000)");
        Scenario untold = file.runs(Map.of(), null).getFirst().scenario();
        assertThat(untold.same()).singleElement().asString().startsWith("1000 persistent pairs, QoS 1");
        assertThat(untold.differs()).noneMatch(line -> line.startsWith("changed"));
        assertThat(Library.find("p2p-rate")
                        .runs(Map.of(), 1.0)
                        .getFirst()
                        .scenario()
                        .differs())
                .contains("changed for this run: scale=1.0");
        assertThat(Library.find("device-mix").runs(Map.of("duration", "5s"), null))
                .allSatisfy(run -> assertThat(run.scenario().same()).hasSize(4));
    }

    @Test
    void multipliesClientsWhenScaled() {
        ScenarioFile file = ScenarioFile.of("small", SMALL);
        assertThat(file.runs(Map.of(), 2.5).getFirst().scenario().clients()).isEqualTo(25);
        assertThat(file.runs(Map.of(), 0.001).getFirst().scenario().clients()).isEqualTo(1);
    }

    @Test
    void makesRunOfEachCombinationWhenThereIsMatrix() {
        ScenarioFile file = ScenarioFile.of("small", SMALL + "matrix: {clients: [1, 2], qos: [0, 1, 2]}\n");
        List<PlannedRun> runs = file.runs(Map.of(), null);
        assertThat(runs)
                .extracting(PlannedRun::label)
                .contains("clients=1 qos=0", "clients=2 qos=2")
                .hasSize(6);
        assertThat(file.runs(Map.of("qos", "2"), null))
                .extracting(PlannedRun::label)
                .containsExactly("clients=1", "clients=2");
    }

    @Test
    void writesRoundsOutWhenStepsAreRepeated() {
        String steps = """
            steps:
              - {name: begin, do: connect}
              - repeat: ${qos}
                steps:
                  - {name: leave, do: disconnect}
                  - {name: return, do: connect}
            """;
        assertThat(only(SMALL + steps, Map.of("qos", "2", "steps.return 2.groups", "[all]"))
                        .steps())
                .extracting(step -> step.name() + step.groups())
                .containsExactly("begin[]", "leave 1[]", "return 1[]", "leave 2[]", "return 2[all]");
        assertThat(only(SMALL + steps, Map.of("qos", "0")).steps()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {repeat: often, steps: []}                        | repeat: a whole number from 0 to 1000, not often
            {repeat: -1, steps: []}                           | not -1
            {repeat: 1001, steps: []}                         | not 1001
            {repeat: 2, name: rounds, steps: []}              | steps and nothing else
            {repeat: 2}                                       | steps and nothing else
            {repeat: 2, steps: [{repeat: 2, steps: []}]}      | a repeat within a repeat
            {repeat: 2, steps: [{do: drain}]}                 | steps[0].name
            """)
    void saysWhatIsWrongWhenStepsAreRepeatedWrongly(String step, String message) {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL + "steps: [" + step + "]\n", Map.of()))
                .withMessageContaining(message);
    }

    @Test
    void isSameScenarioWhenSentToAnotherProcess() {
        PlannedRun run = ScenarioFile.of("small", SMALL).runs(Map.of(), 3.0).getFirst();
        assertThat(PlannedRun.fromText(run.text()).scenario()).isEqualTo(run.scenario());
    }

    @Test
    void namesPlaceAndChoicesWhenSettingIsUnknown() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL + "connect: {speed: 3}\n", Map.of()))
                .withMessageContaining("connect.speed")
                .withMessageContaining("source-addresses");
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("groups.nobody.count", "3")))
                .withMessageContaining("there is no 'nobody'");
    }

    @Test
    void namesItsParametersWhenThereIsNoSuchOne() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("foo", "1")))
                .withMessage(
                        "--set foo: small has no such parameter; it has clients, qos; other settings are set by their"
                                + " path, such as mqtt.version");
        assertThat(only(SMALL, Map.of("threads", "2")).threads()).isEqualTo(2);
    }

    @Test
    void saysWhatIsNoNumber() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("threads", "ten")))
                .withMessageContaining("threads: 'ten' is not a whole number");
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("clients", "ten")))
                .withMessageContaining("--set clients: 'ten' is not a number; unless told, small has ");
    }

    @Test
    void saysWhatIsMissing() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL + "steps: [{do: connect}]\n", Map.of()))
                .withMessage("small: steps[0].name: has to be there, and is not");
    }

    @Test
    void saysWhatIsWrongWhenValuesDoNotFit() {
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("qos", "3")))
                .withMessageContaining("publish.qos: 0, 1 or 2, not 3");
        assertThatExceptionOfType(ScenarioException.class)
                .isThrownBy(() -> only(SMALL, Map.of("limits.stall", "soon")))
                .withMessageContaining("'soon' is not a time");
    }

    private static Scenario only(String yaml, Map<String, String> changes) {
        return ScenarioFile.of("small", yaml).runs(changes, null).getFirst().scenario();
    }
}
