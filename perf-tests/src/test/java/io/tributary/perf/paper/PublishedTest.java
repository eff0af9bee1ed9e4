package io.tributary.perf.paper;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.tributary.perf.paper.PublishedTable.Summary;
import io.tributary.perf.scenario.Binding;
import io.tributary.perf.scenario.Draw;
import io.tributary.perf.scenario.Group;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.PublishOptions;
import io.tributary.perf.scenario.Scenario;
import io.tributary.perf.scenario.ScenarioException;
import io.tributary.perf.scenario.Step;
import io.tributary.perf.scenario.SubscribeOptions;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What was published, and that scenarios which call themselves repetitions of it are. */
class PublishedTest {
    private static final String SETTING = "target-settings.";
    private static final String DURATION = "duration";
    private static final Published PUBLISHED = Published.read();

    static Stream<PublishedTable> tables() {
        return PUBLISHED.tables().stream();
    }

    /** A parameter that the scenario does not have, or one that it leaves open, would fail here. */
    @ParameterizedTest
    @MethodSource("tables")
    void isOneRunOfItsScenarioWhenRowIsPlanned(PublishedTable table) {
        Set<String> names = new HashSet<>();
        for (PublishedRow row : table.rows()) {
            assertThat(names.add(row.name())).as("only one row %s", row.name()).isTrue();
            for (boolean isFull : List.of(false, true)) {
                PlannedRun run = table.run(row, isFull);
                Scenario scenario = run.scenario();
                row.set()
                        .forEach((name, value) ->
                                assertThat(valueOf(scenario, name)).as(name).hasToString(String.valueOf(value)));
                String label = scenario.name() + " " + run.label();
                assertThat(table.isRunOf(row, label)).isTrue();
                assertThat(label).contains(isFull ? " form=full " : " form=fast ");
                assertThat(scenario.differs()).noneMatch(line -> line.startsWith("changed"));
            }
        }
    }

    /** Also what no row sets: a default that somebody changes in the scenario makes it another experiment. */
    @ParameterizedTest
    @MethodSource("tables")
    void hasWhatIsFixedWhenRowIsPlanned(PublishedTable table) {
        assertThat(table.fixed()).isNotEmpty();
        for (PublishedRow row : table.rows()) {
            for (boolean isFull : List.of(false, true)) {
                Scenario scenario = table.run(row, isFull).scenario();
                table.fixed().forEach((name, value) -> {
                    if (isFull || !name.equals(DURATION)) {
                        checkPlanned(scenario, name, value);
                    }
                });
                Stream.of(table.set(), row.set())
                        .forEach(set -> Stream.of("qos", "payload")
                                .filter(set::containsKey)
                                .forEach(name -> checkPlanned(scenario, name, Objects.requireNonNull(set.get(name)))));
            }
        }
    }

    private static void checkPlanned(Scenario scenario, String name, Object value) {
        String text = String.valueOf(value);
        assertThat(planned(scenario, name).map(String::valueOf))
                .as(name)
                .isNotEmpty()
                .containsOnly(name.equals(DURATION) ? Binding.duration(text).toString() : text);
    }

    /** What all groups have that publish, or subscribe. */
    private static Stream<Object> planned(Scenario scenario, String name) {
        List<PublishOptions> publish = scenario.groups().stream()
                .flatMap(group -> Stream.ofNullable(group.publish()))
                .toList();
        List<SubscribeOptions> subscribe = scenario.groups().stream()
                .flatMap(group -> group.subscribe().stream())
                .toList();
        return switch (name) {
            case "payload" -> publish.stream().map(one -> number(one.payload()));
            case "rate" -> publish.stream().map(one -> one.rate() == null ? "none" : number(one.rate()));
            case "publish" -> publish.stream().map(PublishOptions::topic);
            case "subscribe" -> subscribe.stream().map(SubscribeOptions::filter);
            case "qos" ->
                Stream.concat(
                        publish.stream().map(PublishOptions::qos),
                        subscribe.stream().map(SubscribeOptions::qos));
            case "persistent" ->
                scenario.groups().stream().filter(Group::subscribes).map(Group::persistent);
            case "mqtt" -> Stream.of(scenario.mqtt().version());
            case DURATION ->
                Stream.of(scenario.steps().stream()
                        .filter(Step::measured)
                        .map(Step::length)
                        .reduce(Duration.ZERO, Duration::plus));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static Object number(Draw draw) {
        return draw.isConstant()
                ? new BigDecimal(draw.mean()).stripTrailingZeros().toPlainString()
                : draw;
    }

    @Test
    void isOneRowWhenNamedWhollyAndThoseWithTheTextOtherwise() {
        PublishedTable table = PUBLISHED.table("psmark-table-3");
        assertThat(table.rowsNamed(List.of("PSMark-F")))
                .extracting(PublishedRow::name)
                .containsExactly("PSMark-F");
        assertThat(table.rowsNamed(List.of("F-", "PSMark-HC")))
                .extracting(PublishedRow::name)
                .containsExactly("PSMark-F-2x", "PSMark-HC");
    }

    private static Object valueOf(Scenario scenario, String name) {
        return name.startsWith(SETTING)
                ? requireNonNull(scenario.targetSettings().get(name.substring(SETTING.length())))
                : requireNonNull(scenario.parameters().get(name));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void hasRowsOfItsOwnSourceWhenRunsAreThoseOfAnotherTable(PublishedTable table) {
        PublishedTable source = PUBLISHED.table(table.source());
        assertThat(source.runsOf()).isNull();
        assertThat(source.rows().stream().map(PublishedRow::name))
                .containsAll(table.rows().stream().map(PublishedRow::name).toList());
        table.rows()
                .forEach(row -> assertThat(table.run(row, false).tree())
                        .isEqualTo(source.run(
                                        source.rows().stream()
                                                .filter(other -> other.name().equals(row.name()))
                                                .findFirst()
                                                .orElseThrow(),
                                        false)
                                .tree()));
    }

    /** Two tables of one publication, of which one follows from the other: neither was copied wrongly. */
    @Test
    void isMeanAndDeviationOfRowsWhenPublicationSumsUp() {
        PublishedTable table = PUBLISHED.table("stresser-all");
        Summary summary = requireNonNull(table.summary());
        assertThat(table.systems()).containsExactly("EMQX", "VerneMQ", "Mosquitto");
        for (String system : table.systems()) {
            double[] values = numbers(table, system, 0);
            double mean = requireNonNull(summary.published().get(system)).get(0).number();
            assertThat(values).hasSize(11);
            assertThat(mean(values)).as(system).isCloseTo(mean, within(1e-6));
            double[] squares = new double[values.length];
            for (int i = 0; i < values.length; i++) {
                squares[i] = (values[i] - mean) * (values[i] - mean);
            }
            assertThat(Math.sqrt(mean(squares)))
                    .as(system)
                    .isCloseTo(
                            requireNonNull(summary.published().get(system))
                                    .get(1)
                                    .number(),
                            within(1e-6));
            assertThat(mean(numbers(table, system, 1)))
                    .as(system)
                    .isCloseTo(
                            requireNonNull(summary.published().get(system))
                                    .get(2)
                                    .number(),
                            within(0.01));
        }
    }

    /** Each of its values is 1,000 divided by a whole number. So it is a rate, whatever it is called. */
    @Test
    void isInverseOfWholeRateWhenStresserSaysLatency() {
        PublishedTable table = PUBLISHED.table("stresser-all");
        for (String system : table.systems()) {
            for (double latency : numbers(table, system, 0)) {
                double rate = 1e3 / latency;
                assertThat(rate).as(system).isCloseTo(Math.rint(rate), within(1e-3));
            }
        }
    }

    /** GB a second are the messages a second times the payload, of 2,048 or 20,480 bytes, in units of 2^30. */
    @Test
    void followsFromMessagesWhenNatsSaysGigabytes() {
        PublishedTable table = PUBLISHED.table("nats-table-1");
        assertThat(table.rows()).hasSize(24);
        for (PublishedRow row : table.rows()) {
            List<Value> values = requireNonNull(row.published().get("NATS"));
            double bytes = Double.parseDouble(String.valueOf(row.set().get("payload")));
            assertThat(values.get(0).number() * bytes / (1L << 30))
                    .as(row.name())
                    .isCloseTo(values.get(1).number(), within(0.011));
        }
    }

    @ParameterizedTest
    @CsvSource({"14.93, 14.93", "<0.1, NaN", "~75, 75", "100, 100", "N/A, NaN", "'', NaN"})
    void isNumberUnlessItIsABoundOrAWordWhenValueIsPrinted(String printed, double number) {
        assertThat(new Value(printed).number()).isEqualTo(Double.valueOf(number));
    }

    @Test
    void namesTablesWhenThereIsNoneOfTheName() {
        assertThatThrownBy(() -> PUBLISHED.table("table-9"))
                .isInstanceOf(ScenarioException.class)
                .hasMessageContaining("no published table 'table-9'; one of stresser-all, ");
    }

    @Test
    void refusesRowWhenFiguresAreMissing() {
        PublishedTable table = PUBLISHED.table("psmark-table-7");
        PublishedRow row = new PublishedRow("F", Map.of(), null, Map.of("EMQX", List.of(new Value("1"))));
        assertThatThrownBy(() -> new PublishedTable(
                        table.name(),
                        null,
                        table.work(),
                        table.place(),
                        table.title(),
                        table.scenario(),
                        table.target(),
                        table.set(),
                        table.fixed(),
                        table.fast(),
                        table.full(),
                        table.figures(),
                        List.of(row),
                        null,
                        List.of()))
                .hasMessage("psmark-table-7, F, EMQX: 1 figures in place of 3");
    }

    private static double[] numbers(PublishedTable table, String system, int figure) {
        return table.rows().stream()
                .mapToDouble(row ->
                        requireNonNull(row.published().get(system)).get(figure).number())
                .toArray();
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }
}
