package io.tributary.perf.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How every microbenchmark is measured, unless it or the command line says otherwise: one thread, the mean time of an
 * operation in nanoseconds, in one JVM of its own, after ten seconds of warm-up.
 *
 * <p>The first value of each parameter is the smallest: the tests run each benchmark with it once.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@State(Scope.Thread)
public abstract class Microbenchmark {

    /** For benchmarks, which JMH creates. */
    protected Microbenchmark() {}
}
