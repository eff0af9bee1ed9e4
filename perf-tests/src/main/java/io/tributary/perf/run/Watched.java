package io.tributary.perf.run;

import io.tributary.perf.machine.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a run looks at.
 *
 * @param pids names and identifiers of processes, in the order of reports
 * @param counts what else there is to count, by name, without what nobody knows; may block for some seconds
 */
public record Watched(Map<String, Long> pids, Supplier<Map<String, Long>> counts) {

    /** Copies the processes, in their order. */
    public Watched {
        pids = new LinkedHashMap<>(pids);
    }

    /** With more processes. */
    Watched with(Map<String, Long> more) {
        Map<String, Long> all = new LinkedHashMap<>(pids);
        all.putAll(more);
        return new Watched(all, counts);
    }

    /** What the processes have taken, in the same order. */
    Map<String, Usage> usage() {
        Map<String, Usage> usage = new LinkedHashMap<>();
        pids.forEach((name, pid) -> usage.put(name, Usage.of(pid)));
        return usage;
    }

    /** What is counted besides, without what nobody knows. May block for some seconds. */
    Map<String, Long> counted() {
        return counts.get();
    }
}
