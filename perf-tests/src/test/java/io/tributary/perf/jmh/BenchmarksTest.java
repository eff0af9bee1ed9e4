package io.tributary.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Each microbenchmark still does what it measures. Once, in this JVM, with the first value of each parameter: no
 * figures.
 */
class BenchmarksTest {
    private static final String IGNORE_LOCK = "jmh.ignoreLock";

    /** The lock keeps two measurements apart; this is none. */
    @BeforeAll
    static void ignoreLock() {
        System.setProperty(IGNORE_LOCK, "true");
    }

    @AfterAll
    static void respectLock() {
        System.clearProperty(IGNORE_LOCK);
    }

    static Stream<BenchmarkListEntry> all() {
        return BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())
                .stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void worksWhenRunOnce(BenchmarkListEntry benchmark) throws RunnerException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getUsername()) + "$")
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(1))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        Map<String, String[]> parameters = benchmark.getParams().orElse(Map.of());
        parameters.forEach((name, values) -> options.param(name, values[0]));
        assertThat(new Runner(options.build()).run()).hasSize(1);
    }

    @Test
    void coversWhatDocumentationNamesWhenListed() {
        assertThat(all().map(entry -> entry.getUserClassQName().replaceAll(".*\\.", "")))
                .containsAll(Set.of(
                        "PublishCodecBenchmark",
                        "PacketCodecBenchmark",
                        "TrieMatchBenchmark",
                        "IndexMatchBenchmark",
                        "ShardFoldBenchmark",
                        "DecisionBenchmark",
                        "EventCodecBenchmark",
                        "StateCodecBenchmark",
                        "GroupCommitBenchmark",
                        "SavePointBenchmark"));
    }
}
