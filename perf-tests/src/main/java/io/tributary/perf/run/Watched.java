package io.tributary.perf.run;

import io.tributary.perf.machine.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a run looks at.
 *
 * @param pids names and identifiers of processes, in the order of reports
 * @param counts what else there is to count, by name; below 0 stands for a number that nobody knows
 */
public record Watched(Map<String, Long> pids, Map<String, LongSupplier> counts) {

    /** Copies the maps, the first in its order. */
    public Watched {
        pids = new LinkedHashMap<>(pids);
        counts = Map.copyOf(counts);
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
        Map<String, Long> counted = new LinkedHashMap<>();
        counts.forEach((name, count) -> {
            long value = count.getAsLong();
            if (value >= 0) {
                counted.put(name, value);
            }
        });
        return counted;
    }
}
