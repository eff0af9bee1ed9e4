package io.tributary.perf.run;

import io.tributary.perf.machine.Usage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a run looks at.
 *
 * @param pids names and identifiers of processes, in the order of reports
 * @param nodes what nodes say that they have taken, by name, in the order of reports, behind the processes; may block
 *     for a second
 * @param counts what else there is to count, by name, without what nobody knows; may block for some seconds
 */
public record Watched(Map<String, Long> pids, Map<String, Supplier<Usage>> nodes, Supplier<Map<String, Long>> counts) {

    /** Copies the processes and the nodes, in their order. */
    public Watched {
        pids = new LinkedHashMap<>(pids);
        nodes = new LinkedHashMap<>(nodes);
    }

    /** With more processes. */
    Watched with(Map<String, Long> more) {
        Map<String, Long> all = new LinkedHashMap<>(pids);
        all.putAll(more);
        return new Watched(all, nodes, counts);
    }

    /** What the processes have taken, in the same order. */
    Map<String, Usage> usage() {
        Map<String, Usage> usage = new LinkedHashMap<>();
        pids.forEach((name, pid) -> usage.put(name, Usage.of(pid)));
        nodes.forEach((name, node) -> usage.put(name, node.get()));
        return usage;
    }

    /** What is counted besides, without what nobody knows. May block for some seconds. */
    Map<String, Long> counted() {
        return counts.get();
    }
}
