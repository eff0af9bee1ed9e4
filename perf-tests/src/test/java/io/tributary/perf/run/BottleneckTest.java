package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.scenario.Scenario;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class BottleneckTest {
    private static final Scenario CLOSED = scenario("window: 10");
    private static final Scenario OPEN = scenario("rate: 10");
    private static final long WITH_RATE = 1_000;
    private static final List<ProcessUse> BOTH = List.of(process("broker"), process(RunResult.TOOL));

    @Test
    void acceptsWhenNobodyIsInTheWay() {
        assertThat(Bottleneck.refusals(CLOSED, step(Map.of(), 0.5, 0.6, BOTH, 1)))
                .isEmpty();
        assertThat(Bottleneck.refusals(OPEN, step(Map.of(Count.DUE, 100L, Count.SENT, 100L), 0.5, 0.6, BOTH, 1)))
                .isEmpty();
    }

    @Test
    void refusesWhenLoopIsBusyAndMachineIsNot() {
        assertThat(Bottleneck.refusals(CLOSED, step(Map.of(), 0.98, 0.7, BOTH, 1)))
                .singleElement()
                .asString()
                .contains("busy 98 % of the time while 30 % of the machine was idle");
    }

    @Test
    void acceptsWithRemarkWhenWholeMachineIsBusy() {
        StepResult step = step(Map.of(), 0.98, 0.99, BOTH, 1);
        assertThat(Bottleneck.refusals(CLOSED, step)).isEmpty();
        assertThat(Bottleneck.remarks(CLOSED, step, 2))
                .satisfiesExactly(
                        busy -> assertThat(busy).contains("All 2 processors"),
                        tool -> assertThat(tool).contains("busy 98 % of the time: throughput is at least"));
    }

    @Test
    void remarksWhenMuchHasNotCome() {
        Map<Count, Long> counts = Map.of(Count.EXPECTED, 1_000L, Count.RECEIVED, 940L);
        assertThat(Bottleneck.remarks(CLOSED, step(counts, 0.5, 0.6, BOTH, 1), 2))
                .singleElement()
                .asString()
                .contains("Of 100 messages that were to come 94 came");
        Map<Count, Long> all = Map.of(Count.EXPECTED, 1_000L, Count.RECEIVED, 960L);
        assertThat(Bottleneck.remarks(CLOSED, step(all, 0.5, 0.6, BOTH, 1), 2)).isEmpty();
    }

    @Test
    void refusesWhenBrokerIsElsewhereAndLoopIsBusy() {
        assertThat(Bottleneck.refusals(CLOSED, step(Map.of(), 0.98, 0.99, List.of(process(RunResult.TOOL)), 1)))
                .hasSize(1);
    }

    @Test
    void refusesWhenNodesAreElsewhereAndLoopIsBusy() {
        ProcessUse node = new ProcessUse("n1", 1, 10, 10, 1, 1, null, null, true);
        assertThat(Bottleneck.refusals(CLOSED, step(Map.of(), 0.98, 0.99, List.of(process(RunResult.TOOL), node), 1)))
                .hasSize(1);
    }

    @Test
    void refusesWhenToolItselfIsLateWithRate() {
        Map<Count, Long> counts = Map.of(Count.DUE, 1_000L, Count.SENT, 1_000L, Count.SENT_LATE, 11L);
        assertThat(Bottleneck.refusals(OPEN, step(counts, 0.5, 0.6, BOTH, 1)))
                .singleElement()
                .asString()
                .contains("1.1 % of the messages with a rate more than 20 ms late by its own fault");
    }

    @Test
    void refusesWhenToolItselfIsLateBesideManyMessagesOfClosedLoops() {
        Map<Count, Long> counts = Map.of(Count.DUE, 100_000L, Count.SENT, 100_000L, Count.SENT_LATE, 11L);
        assertThat(Bottleneck.refusals(OPEN, step(counts, 0.5, 0.6, BOTH, 1)))
                .singleElement()
                .asString()
                .contains("1.1 % of the messages with a rate");
        Map<Count, Long> blocked = new EnumMap<>(counts);
        blocked.put(Count.BLOCKED, 200L);
        assertThat(Bottleneck.refusals(OPEN, step(blocked, 0.5, 0.6, BOTH, 1)))
                .as("what the broker held up has a rate, too")
                .isEmpty();
    }

    @Test
    void refusesWhenLoopsOfToolLag() {
        Map<Count, Long> counts = Map.of(Count.DUE, 1_000L, Count.SENT, 1_000L);
        assertThat(Bottleneck.refusals(OPEN, step(counts, 0.5, 0.6, BOTH, 40)))
                .singleElement()
                .asString()
                .contains("40 ms late");
    }

    @Test
    void remarksWhenBrokerDoesNotKeepUp() {
        Map<Count, Long> counts = Map.of(Count.DUE, 1_000L, Count.SENT, 500L, Count.BLOCKED, 400L);
        StepResult step = step(counts, 0.5, 0.6, BOTH, 1);
        assertThat(Bottleneck.refusals(OPEN, step)).isEmpty();
        assertThat(Bottleneck.remarks(OPEN, step, 2)).singleElement().asString().contains("did not keep up");
    }

    @Test
    void saysThatBrokerIsAmongOthersWhenItsProcessesAreNotKnown() {
        assertThat(Bottleneck.remarks(CLOSED, beside(List.of(process(RunResult.TOOL))), 2))
                .singleElement()
                .asString()
                .contains("Other programs took 30 %", "the broker is one of them if it runs on it", "(--pid)");
        assertThat(Bottleneck.remarks(CLOSED, beside(BOTH), 2))
                .singleElement()
                .asString()
                .contains("Other programs took 30 %")
                .doesNotContain("the broker is one of them");
    }

    /** With others on the machine. */
    private static StepResult beside(List<ProcessUse> processes) {
        return new StepResult("measured", 10, Map.of(), Map.of(), -1, -1, processes, 0.5, 0.6, 0.3, null);
    }

    private static ProcessUse process(String name) {
        return new ProcessUse(name, 1, 10, 10, 1, 1, null, null, false);
    }

    private static StepResult step(
            Map<Count, Long> counts, double loop, double machine, List<ProcessUse> processes, long lagMillis) {
        Histogram lag = Snapshot.histogram();
        lag.recordValue(lagMillis * 1_000_000);
        Histogram delays = Snapshot.histogram();
        delays.recordValueWithCount(1_000_000, WITH_RATE);
        return new StepResult(
                "measured",
                10,
                counts,
                Map.of(Metric.LOOP_LAG, Distribution.of(lag), Metric.SEND_DELAY, Distribution.of(delays)),
                -1,
                -1,
                processes,
                loop,
                machine,
                0,
                null);
    }

    private static Scenario scenario(String pace) {
        return Runs.planned("groups: [{name: pub, count: 1, publish: {topic: a, " + pace + "}}]")
                .scenario();
    }
}
