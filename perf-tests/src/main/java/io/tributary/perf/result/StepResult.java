package io.tributary.perf.result;

import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a step gave, or all measured steps together.
 *
 * @param seconds how long it took
 * @param counts what was counted in it; what was sent in one step may come in the next
 * @param times the distributions
 * @param secondsToFirst from its beginning to the first message that came; -1 for none
 * @param secondsToLast the same to the last
 * @param processes what is measured, and the tool itself
 * @param busiestLoop the share of a core that the busiest event loop of the tool took
 * @param machineBusy the share of the machine's processors that anybody kept busy
 * @param othersBusy the part of this that is neither what is measured nor the tool
 * @param sentMegabytes what this machine sent over any network, what its processes told each other included; null where
 *     nobody says
 */
public record StepResult(
        String name,
        double seconds,
        Map<Count, Long> counts,
        Map<Metric, Distribution> times,
        double secondsToFirst,
        double secondsToLast,
        List<ProcessUse> processes,
        double busiestLoop,
        double machineBusy,
        double othersBusy,
        @Nullable Double sentMegabytes) {

    /** Copies the lists and maps. */
    public StepResult {
        counts = Map.copyOf(counts);
        times = Map.copyOf(times);
        processes = List.copyOf(processes);
    }

    /** The same with other distributions. */
    StepResult with(Map<Metric, Distribution> others) {
        return new StepResult(
                name,
                seconds,
                counts,
                others,
                secondsToFirst,
                secondsToLast,
                processes,
                busiestLoop,
                machineBusy,
                othersBusy,
                sentMegabytes);
    }

    /** One count. */
    public long count(Count what) {
        return counts.getOrDefault(what, 0L);
    }

    /** What came in it of the messages that were published in measured steps, and what of them was published in it. */
    public Deliveries deliveries() {
        return Deliveries.of(counts);
    }

    /** So many a second. */
    public double perSecond(Count what) {
        return count(what) / Math.max(seconds, 1e-9);
    }

    /**
     * So many bytes for each message that was delivered; NaN where none was, or nobody knows.
     *
     * @param megabytes of all of them; null where nobody says
     */
    public double bytesPerMessage(@Nullable Double megabytes) {
        long delivered = count(Count.RECEIVED);
        return delivered == 0 || megabytes == null ? Double.NaN : megabytes * (1 << 20) / delivered;
    }

    /**
     * The processor time of a process for each message that was delivered, in microseconds; NaN where none was.
     *
     * @param processSeconds what it took
     */
    public double microsPerMessage(double processSeconds) {
        long delivered = count(Count.RECEIVED);
        return delivered == 0 ? Double.NaN : processSeconds * 1e6 / delivered;
    }
}
