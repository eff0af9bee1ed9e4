package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.run.StubBroker.Faults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Publishers of a broker that does not do what it should: nothing of it is passed over. */
class MisfortunesTest {
    private final StubBroker broker = new StubBroker(Faults.NONE, null);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void countsOnceWhatIsDueWhenBrokerDoesNotAcknowledge() {
        broker.answer(_ -> null);
        RunResult result = run("""
                limits: {stall: 500ms}
                groups:
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, rate: 200, in-flight: 5}}
                steps:
                  - {name: connect, do: connect}
                  - {name: warm-up, do: publish, for: 200ms}
                  - {name: measured, do: publish, for: 300ms, measured: true}
                  - {name: drain, do: drain}
                """);
        assertThat(result.count(Count.SENT)).isEqualTo(2 * 5);
        assertThat(result.count(Count.BLOCKED)).isPositive().isEqualTo(result.count(Count.DUE) - 2 * 5);
        StepResult warmUp = result.steps().get(1);
        StepResult measured = result.measured();
        assertThat(measured.count(Count.DUE)).isGreaterThan(measured.count(Count.SENT));
        assertThat(measured.count(Count.BLOCKED)).isPositive();
        assertThat(warmUp.count(Count.DUE) + measured.count(Count.DUE))
                .isLessThanOrEqualTo(2 * (long) (200 * (warmUp.seconds() + measured.seconds()) + 1));
        assertThat(result.remarks()).anySatisfy(remark -> assertThat(remark).contains("did not keep up"));
        assertThat(result.refusals()).noneSatisfy(refusal -> assertThat(refusal).contains("the broker took all"));
    }

    private RunResult run(String yaml) {
        return Runs.perform(Runs.planned(yaml), broker.address(), null);
    }
}
