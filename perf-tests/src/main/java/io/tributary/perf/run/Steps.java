package io.tributary.perf.run;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.judge.Snapshot;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.ProcessUse;
import io.tributary.perf.result.StepResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes results of marks. */
final class Steps {
    private static final double NANOS = 1e9;
    private static final double MEGABYTE = 1 << 20;

    private Steps() {}

    /** What lies between two marks. */
    static Interval between(String name, Mark begin, Mark end) {
        Snapshot then = end.snapshot();
        Counts counts = then.counts().minus(begin.snapshot().counts());
        Snapshot snapshot = new Snapshot(
                counts,
                then.histograms(),
                since(begin, then.firstReceivedNanos()),
                since(begin, then.lastReceivedNanos()));
        return new Interval(
                name,
                end.nanos() - begin.nanos(),
                snapshot,
                uses(begin, end),
                busiestLoop(begin, end),
                end.machineNanos() - begin.machineNanos(),
                megabytes(begin.sentBytes(), end.sentBytes()));
    }

    /** 0 stays 0, which means never. */
    private static long since(Mark begin, long nanos) {
        return nanos == 0 ? 0 : Math.max(1, nanos - begin.nanos());
    }

    private static List<ProcessUse> uses(Mark begin, Mark end) {
        List<ProcessUse> uses = new ArrayList<>();
        end.usage().forEach((name, now) -> {
            Usage then = begin.usage().getOrDefault(name, Usage.NONE);
            Usage before = now.cpuNanos() < then.cpuNanos() ? Usage.NEW : then; // it was started again
            uses.add(new ProcessUse(
                    name,
                    Math.max(0, now.cpuNanos() - before.cpuNanos()) / NANOS,
                    before.rssBytes() / MEGABYTE,
                    now.rssBytes() / MEGABYTE,
                    now.threads(),
                    now.files(),
                    megabytes(before.writtenBytes(), now.writtenBytes()),
                    megabytes(before.sentBytes(), now.sentBytes()),
                    now.isElsewhere()));
        });
        return uses;
    }

    /** What came between two counts; null where one is not known. */
    private static @Nullable Double megabytes(long before, long now) {
        return before == Usage.UNKNOWN || now < before ? null : (now - before) / MEGABYTE;
    }

    private static @Nullable Double sum(@Nullable Double one, @Nullable Double two) {
        return one == null || two == null ? null : Double.valueOf(one + two);
    }

    private static double busiestLoop(Mark begin, Mark end) {
        double busiest = 0;
        for (int p = 0; p < end.own().size(); p++) {
            List<Long> now = end.own().get(p).loopCpuNanos();
            List<Long> before = begin.own().get(p).loopCpuNanos();
            for (int i = 0; i < now.size(); i++) {
                busiest = Math.max(busiest, (double) (now.get(i) - before.get(i)) / (end.nanos() - begin.nanos()));
            }
        }
        return busiest;
    }

    /** Intervals that count as one; they follow one on the other. */
    static Interval together(String name, List<Interval> parts) {
        Interval sum = parts.getFirst();
        for (Interval next : parts.subList(1, parts.size())) {
            sum = sum.plus(next);
        }
        return new Interval(
                name, sum.nanos, sum.snapshot, sum.uses, sum.busiestLoop, sum.machineNanos, sum.sentMegabytes);
    }

    /**
     * A step, in a form that adds up.
     *
     * @param snapshot with times from the beginning of the interval
     */
    record Interval(
            String name,
            long nanos,
            Snapshot snapshot,
            List<ProcessUse> uses,
            double busiestLoop,
            long machineNanos,
            @Nullable Double sentMegabytes) {

        private Interval plus(Interval next) {
            Snapshot later = next.snapshot;
            Snapshot shifted = new Snapshot(
                    later.counts(),
                    later.histograms(),
                    later.firstReceivedNanos() == 0 ? 0 : later.firstReceivedNanos() + nanos,
                    later.lastReceivedNanos() == 0 ? 0 : later.lastReceivedNanos() + nanos);
            return new Interval(
                    name,
                    nanos + next.nanos,
                    snapshot.plus(shifted),
                    plus(uses, next.uses),
                    Math.max(busiestLoop, next.busiestLoop),
                    machineNanos + next.machineNanos,
                    sum(sentMegabytes, next.sentMegabytes));
        }

        private static List<ProcessUse> plus(List<ProcessUse> before, List<ProcessUse> after) {
            List<ProcessUse> sum = new ArrayList<>();
            for (int i = 0; i < after.size(); i++) {
                ProcessUse one = before.get(i);
                ProcessUse two = after.get(i);
                sum.add(new ProcessUse(
                        two.name(),
                        one.cpuSeconds() + two.cpuSeconds(),
                        one.rssBeginMegabytes(),
                        two.rssEndMegabytes(),
                        two.threads(),
                        two.files(),
                        sum(one.writtenMegabytes(), two.writtenMegabytes()),
                        sum(one.sentMegabytes(), two.sentMegabytes()),
                        two.elsewhere()));
            }
            return sum;
        }

        /** As it is written. */
        StepResult result(int cores) {
            Map<Metric, Distribution> times = new EnumMap<>(Metric.class);
            snapshot.histograms().forEach((metric, nanos) -> times.put(metric, Distribution.of(nanos)));
            double ours = NANOS
                    * uses.stream()
                            .filter(use -> !use.elsewhere())
                            .mapToDouble(ProcessUse::cpuSeconds)
                            .sum();
            double all = (double) nanos * cores;
            boolean any = snapshot.counts().get(Count.RECEIVED) > 0;
            return new StepResult(
                    name,
                    nanos / NANOS,
                    snapshot.counts().asMap(),
                    times,
                    any ? snapshot.firstReceivedNanos() / NANOS : -1,
                    any ? snapshot.lastReceivedNanos() / NANOS : -1,
                    uses,
                    busiestLoop,
                    Math.min(1, machineNanos / all),
                    Math.max(0, (machineNanos - ours) / all),
                    sentMegabytes);
        }
    }
}
