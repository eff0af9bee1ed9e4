package io.tributary.perf.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.run.StubBroker.Faults;
import io.tributary.perf.scenario.Step.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Steps with faults, and how long subscribers get nothing in them. */
class FaultsInRunTest {
    private final List<Fault> happened = new ArrayList<>();

    @Test
    void tellsSilenceOfEachSubscriberWithAndWithoutFault() {
        RunResult result = run(1);
        assertThat(happened).containsExactly(Fault.KILL, Fault.BACK, Fault.KILL, Fault.BACK);
        for (StepResult step : result.steps()) {
            boolean isPublishing = step.name().matches("warm-up|(before|outage) [12]");
            assertThat(step.times().containsKey(Metric.SILENCE)).as(step.name()).isEqualTo(isPublishing);
            if (isPublishing) {
                assertThat(requireNonNull(step.times().get(Metric.SILENCE)).values())
                        .isEqualTo(3);
            }
        }
        assertThat(result.remarks())
                .anySatisfy(
                        remark -> assertThat(remark).contains("with a fault: ").contains("median of 2 rounds"))
                .anySatisfy(remark -> assertThat(remark).contains("without: ").contains("median of 2 rounds"));
        assertThat(result.lost()).isZero();
    }

    @Test
    void saysSoWhenThereAreFewerBrokersThanNamed() {
        assertThatExceptionOfType(RunException.class)
                .isThrownBy(() -> run(2))
                .withMessage("group pub is to take the brokers [2], and there are 1");
    }

    private RunResult run(int broker) {
        try (StubBroker stub = new StubBroker(Faults.NONE, null)) {
            return Runs.perform(Runs.planned(scenario(broker)), stub.address(), null, happened::add);
        }
    }

    private static String scenario(int broker) {
        return """
                groups:
                  - {name: away, count: 1, subscribe: [{filter: "away/0", qos: 1}]}
                  - {name: sub, count: 3, silence: true, subscribe: [{filter: "t/{n}", qos: 1}]}
                  - {name: pub, count: 3, brokers: [%d], publish: {topic: "t/{n}", qos: 1, rate: 100}}
                steps:
                  - {name: connect, do: connect}
                  - {name: warm-up, do: publish, for: 200ms}
                  - repeat: 2
                    steps:
                      - {name: before, do: publish, for: 200ms}
                      - {name: outage, do: publish, for: 200ms, fault: kill, measured: true}
                      - {name: back, do: connect, fault: back}
                  - {name: drain, do: drain}
                """.formatted(broker);
    }
}
