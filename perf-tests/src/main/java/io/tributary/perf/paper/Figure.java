package io.tributary.perf.paper;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import java.util.DoubleSummaryStatistics;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What publications report, and how it follows from a run of ours. A figure that a run does not have is not a number.
 */
public enum Figure {
    /** From publisher to subscriber, on average. */
    @JsonProperty("latency")
    LATENCY("latency, ms, mean", Better.LESS, run -> time(run, Metric.END_TO_END, Distribution::mean)),
    /** The time that nine of ten messages did not exceed. */
    @JsonProperty("p90")
    P90("latency, ms, p90", Better.LESS, run -> time(run, Metric.END_TO_END, Distribution::p90)),
    /** The time that 95 of 100 messages did not exceed. */
    @JsonProperty("p95")
    P95("latency, ms, p95", Better.LESS, run -> time(run, Metric.END_TO_END, Distribution::p95)),
    /** The time that 99 of 100 messages did not exceed. */
    @JsonProperty("p99")
    P99("latency, ms, p99", Better.LESS, run -> time(run, Metric.END_TO_END, Distribution::p99)),
    /** How much longer or shorter a message took than the one before it at the same subscriber, on average. */
    @JsonProperty("jitter")
    JITTER("jitter, ms, mean", Better.LESS, run -> time(run, Metric.JITTER, Distribution::mean)),
    /** From publisher to the broker's acknowledgement and back, on average. */
    @JsonProperty("acknowledgement")
    ACKNOWLEDGEMENT("acknowledgement, ms, mean", Better.LESS, run -> time(run, Metric.PUBLISH, Distribution::mean)),
    /** From a request to its answer, on average. */
    @JsonProperty("round-trip")
    ROUND_TRIP("round trip, ms, mean", Better.LESS, run -> time(run, Metric.ROUND_TRIP, Distribution::mean)),
    /** What some publications call latency: 1 divided by the rate at which one client receives. */
    @JsonProperty("inverse-rate")
    INVERSE_RATE(
            "\"latency\", ms: 1 / messages a second of a client",
            Better.GIVEN,
            run -> 1e3 * toLast(run) * parameter(run, "clients") / received(run)),
    /** The same of all clients together: 1 divided by the rate of requests. */
    @JsonProperty("inverse-request-rate")
    INVERSE_REQUEST_RATE(
            "\"latency\", ms: 1 / requests a second",
            Better.LESS,
            run -> 1e3 * toLast(run) / distribution(run, Metric.ROUND_TRIP).values()),
    /** Messages that came, of 100 that had to: of those that were published in measured steps. */
    @JsonProperty("delivery")
    DELIVERY("delivered, %", Better.MORE, run -> 100 * run.deliveries().share()),
    /** Messages that did not come, of 100 that had to. */
    @JsonProperty("drop")
    DROP("lost, %", Better.GIVEN, run -> 100 * (1 - run.deliveries().share())),
    /** Messages a second that came to one of the edge nodes. */
    @JsonProperty("throughput-a-node")
    THROUGHPUT_A_NODE(
            "messages a second, to each node",
            Better.GIVEN,
            run -> run.measured().perSecond(Count.RECEIVED) / parameter(run, "nodes")),
    /** Messages a second in and out. */
    @JsonProperty("in-and-out")
    IN_AND_OUT(
            "messages a second, in and out",
            Better.MORE,
            run -> run.measured().perSecond(Count.RECEIVED) + run.measured().perSecond(Count.SENT)),
    /** Payload a second in and out, in units of 2^30 bytes. */
    @JsonProperty("gigabytes")
    GIGABYTES(
            "GiB a second, in and out",
            Better.MORE,
            run -> IN_AND_OUT.of(run) * parameter(run, "payload") / (1L << 30)),
    /** Messages a second, in and out, for each core that all processes of the broker took. */
    @JsonProperty("a-core")
    A_CORE(
            "messages a second, in and out, a core",
            Better.GIVEN,
            run -> (run.measured().count(Count.RECEIVED) + run.measured().count(Count.SENT)) / run.targetCpuSeconds()),
    /** The share of the machine's processors that all processes of the broker took. */
    @JsonProperty("cpu")
    CPU(
            "processors of the machine, %",
            Better.GIVEN,
            run -> 100
                    * run.targetCpuSeconds()
                    / run.measured().seconds()
                    / run.machine().cores()),
    /** The resident memory of all processes of the broker, at the end. */
    @JsonProperty("memory")
    MEMORY("memory of the broker, MB", Better.GIVEN, RunResult::targetMegabytes),
    /** The processor time of the first broker behind a balancer. */
    @JsonProperty("cpu-1")
    CPU_1("broker 1, % of a core", Better.GIVEN, run -> percent(run, "n1")),
    /** Of the second. */
    @JsonProperty("cpu-2")
    CPU_2("broker 2, % of a core", Better.GIVEN, run -> percent(run, "n2")),
    /** Of the third. */
    @JsonProperty("cpu-3")
    CPU_3("broker 3, % of a core", Better.GIVEN, run -> percent(run, "n3")),
    /** By how much the broker that took most of the processors is above the mean of the three. */
    @JsonProperty("cpu-spread")
    CPU_SPREAD("busiest broker, % above the mean of the three", Better.LESS, Figure::spread),
    /** The processor time of the balancer itself. */
    @JsonProperty("cpu-balancer")
    CPU_BALANCER("the balancer, % of a core", Better.GIVEN, run -> percent(run, "proxy"));

    private final String words;
    private final Better better;

    @SuppressWarnings("ImmutableEnumChecker") // of functions without state
    private final ToDoubleFunction<RunResult> value;

    Figure(String words, Better better, ToDoubleFunction<RunResult> value) {
        this.words = words;
        this.better = better;
        this.value = value;
    }

    /** What it is, with its unit, for people. */
    public String words() {
        return words;
    }

    /** Which of two values is the better one. */
    public Better better() {
        return better;
    }

    /** Its value in a run; not a number where the run does not say. */
    public double of(RunResult run) {
        return value.applyAsDouble(run);
    }

    private static double time(RunResult run, Metric metric, ToDoubleFunction<Distribution> of) {
        Distribution times = distribution(run, metric);
        return times.values() == 0 ? Double.NaN : of.applyAsDouble(times);
    }

    private static Distribution distribution(RunResult run, Metric metric) {
        return run.measured().times().getOrDefault(metric, Distribution.NONE);
    }

    /** From the beginning of the measured steps to the last message that came. */
    private static double toLast(RunResult run) {
        StepResult measured = run.measured();
        return measured.secondsToLast() < 0 ? Double.NaN : measured.secondsToLast();
    }

    private static long received(RunResult run) {
        return run.measured().count(Count.RECEIVED);
    }

    private static double parameter(RunResult run, String name) {
        return run.scenario().get("parameters") instanceof Map<?, ?> parameters
                        && parameters.get(name) instanceof Number number
                ? number.doubleValue()
                : Double.NaN;
    }

    private static double spread(RunResult run) {
        DoubleSummaryStatistics brokers = Stream.of("n1", "n2", "n3")
                .mapToDouble(broker -> percent(run, broker))
                .summaryStatistics();
        return 100 * (brokers.getMax() / brokers.getAverage() - 1);
    }

    private static double percent(RunResult run, String process) {
        return run.measured().processes().stream()
                .filter(use -> use.name().equals(process))
                .mapToDouble(ProcessUse::cpuSeconds)
                .map(seconds -> 100 * seconds / run.measured().seconds())
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Which of two values of a figure is the better one. */
    public enum Better {
        /** The smaller. */
        LESS,
        /** The larger. */
        MORE,
        /** Neither: it follows from the load or the machine, or is measured in another way. */
        GIVEN
    }
}
