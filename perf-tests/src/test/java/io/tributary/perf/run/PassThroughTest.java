package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.judge.Count;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.target.Target;
import io.tributary.perf.target.TargetContext;
import io.tributary.perf.target.Targets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** It is no broker, but what it is measured with comes to everybody, once and in order. */
class PassThroughTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"5, 0", "5, 1", "5, 2", "3.1.1, 1"})
    void handsOnAllThatIsPublished(String version, int qos) {
        PlannedRun planned = Runs.planned("""
                threads: 2
                mqtt: {version: "%s"}
                groups:
                  - {name: name, count: 6, subscribe: [{filter: "p/{n}/0", qos: %d}]}
                  - {name: level, count: 6, subscribe: [{filter: "p/{n}/+", qos: %d}]}
                  - {name: pub, count: 6, publish: {topic: "p/{n}/0", qos: %d, window: 5, payload: 200}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 100, measured: true}
                  - {name: drain, do: drain}
                """.formatted(version, qos, qos, qos));
        TargetContext context = new TargetContext(
                directory, directory, directory, planned.scenario().mqtt(), Map.of());
        try (Target passThrough = Targets.start("pass-through", context, Map.of())) {
            RunResult result = Runs.perform(planned, passThrough.addresses().getFirst(), null);
            assertThat(result.lost()).isZero();
            assertThat(result.count(Count.DUPLICATE)).isZero();
            assertThat(result.count(Count.OUT_OF_ORDER)).isZero();
            assertThat(result.count(Count.FIRST)).isEqualTo(2 * 600);
        }
    }
}
