package io.tributary.perf.run;

import io.tributary.perf.machine.Usage;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The processes that a run looks at, by name.
 *
 * @param pids names and process identifiers, in the order of reports
 */
public record Watched(Map<String, Long> pids) {

    /** Copies the map, in its order. */
    public Watched {
        pids = new LinkedHashMap<>(pids);
    }

    /** With more of them. */
    Watched with(Map<String, Long> more) {
        Map<String, Long> all = new LinkedHashMap<>(pids);
        all.putAll(more);
        return new Watched(all);
    }

    /** What they have taken, in the same order. */
    Map<String, Usage> usage() {
        Map<String, Usage> usage = new LinkedHashMap<>();
        pids.forEach((name, pid) -> usage.put(name, Usage.of(pid)));
        return usage;
    }
}
