package io.tributary.perf.result;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run with all that belongs to it: what was run, on what, and what came out.
 *
 * @param label the scenario with what tells this run from others of the same
 * @param started the time, in ISO 8601
 * @param commit of the tool
 * @param runners how many processes the clients were in
 * @param clockErrorMillis how far the clocks of two runners may have been apart at the end; 0 with one
 * @param scenario all settings, as they were
 * @param refusals why the run says nothing about the broker: the tool was the bottleneck; empty where it was not
 * @param remarks what to know when reading the figures
 * @param measured all measured steps together
 * @param total what was counted from the beginning to the end: the judgement
 * @param lost how many of the messages that were published in the whole run, a warm-up included, have not come
 * @param dropped how many messages the broker says it has dropped in the run, where a limit is to drop some; null
 *     otherwise, and where it was started again meanwhile
 * @param sourcesLosing of how many publishers and topics messages are lost, over the whole run
 * @param sourcesWithLoss the first ten of these
 * @param growth for a run of some minutes: what became of what should have stayed the same
 */
public record RunResult(
        String label,
        String started,
        String commit,
        int runners,
        double clockErrorMillis,
        Machine machine,
        TargetFacts target,
        Map<String, Object> scenario,
        List<String> refusals,
        List<String> remarks,
        StepResult measured,
        Map<Count, Long> total,
        long lost,
        @Nullable Long dropped,
        int sourcesLosing,
        List<String> sourcesWithLoss,
        List<StepResult> steps,
        List<Sample> samples,
        List<Growth> growth) {

    /** The process of the tool itself among those of a step. */
    public static final String TOOL = "load tool";

    /** Whether a process of that name is one of the load tool's. */
    public static boolean isTool(String process) {
        return process.startsWith(TOOL);
    }

    /** Copies lists and maps. */
    public RunResult {
        refusals = List.copyOf(refusals);
        remarks = List.copyOf(remarks);
        total = Map.copyOf(total);
        sourcesWithLoss = List.copyOf(sourcesWithLoss);
        steps = List.copyOf(steps);
        samples = List.copyOf(samples);
        growth = List.copyOf(growth);
    }

    /**
     * The same with what tables need: without steps, samples, and percentiles for charts. What is counted over the run
     * is counted from the first measured step on: losses of a warm-up are not those of the experiment.
     */
    public RunResult brief() {
        Map<Metric, Distribution> times = new EnumMap<>(Metric.class);
        measured.times().forEach((metric, values) -> times.put(metric, values.withoutCurve()));
        return new RunResult(
                label,
                started,
                commit,
                runners,
                clockErrorMillis,
                machine,
                target,
                scenario,
                refusals,
                remarks,
                measured.with(times),
                sinceMeasured(),
                lost,
                dropped,
                sourcesLosing,
                sourcesWithLoss,
                List.of(),
                List.of(),
                List.of());
    }

    private Map<Count, Long> sinceMeasured() {
        Map<Count, Long> since = new EnumMap<>(Count.class);
        since.putAll(total);
        List<?> planned = scenario.get("steps") instanceof List<?> list ? list : List.of();
        for (int i = 0; i < Math.min(steps.size(), planned.size()); i++) {
            if (planned.get(i) instanceof Map<?, ?> step && Boolean.TRUE.equals(step.get("measured"))) {
                break;
            }
            steps.get(i).counts().forEach((what, number) -> since.merge(what, -number, Long::sum));
        }
        return since;
    }

    /** What became of the messages of the measured steps, whenever they came. */
    public Deliveries deliveries() {
        return Deliveries.of(total);
    }

    /** How many of {@link #lost} were published in measured steps; null where an older version did not say. */
    public @Nullable Long lostOfMeasured() {
        return Deliveries.areApart(total)
                ? Long.valueOf(Math.min(lost, deliveries().missing()))
                : null;
    }

    /** How many messages have not come, without those that the broker was to drop and has counted. */
    public long unaccounted() {
        return dropped == null ? lost : Math.max(0, lost - dropped);
    }

    /** How many messages the broker refused with a reason code; 0 where it may drop some. */
    public long refused() {
        return Boolean.TRUE.equals(scenario.get("may-drop")) ? 0 : count(Count.REFUSED);
    }

    /** One count over the whole run. */
    public long count(Count what) {
        return total.getOrDefault(what, 0L);
    }

    /** The processor time of all that is measured, in seconds. */
    @JsonIgnore
    public double targetCpuSeconds() {
        return measured.processes().stream()
                .filter(process -> !process.isOfTool())
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
    }

    /** The memory of all that is measured at the end, in MB; not a number where nobody knows its processes. */
    @JsonIgnore
    public double targetMegabytes() {
        return knowsTarget()
                ? measured.processes().stream()
                        .filter(process -> !process.isOfTool())
                        .mapToDouble(ProcessUse::rssEndMegabytes)
                        .sum()
                : Double.NaN;
    }

    /** The processor time of the tool, in seconds. */
    @JsonIgnore
    public double toolCpuSeconds() {
        return measured.processes().stream()
                .filter(process -> process.isOfTool())
                .mapToDouble(ProcessUse::cpuSeconds)
                .sum();
    }

    /** Whether the processes of what is measured are known. */
    @JsonIgnore
    public boolean knowsTarget() {
        return measured.processes().stream().anyMatch(process -> !process.isOfTool());
    }

    /**
     * What was measured.
     *
     * @param facts what else is to be known of it, such as the number of shards of a cluster
     */
    public record TargetFacts(String name, String version, Map<String, String> facts) {}
}
