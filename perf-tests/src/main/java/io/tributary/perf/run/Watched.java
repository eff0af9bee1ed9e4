package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.result.RunResult;
import java.util.LinkedHashMap;
import java.util.List;
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

    /** What the processes have taken, in the same order, and those of the load tool behind them. */
    Map<String, Usage> usage(List<Crew.Own> tool) {
        Map<String, Usage> usage = new LinkedHashMap<>();
        pids.forEach((name, pid) -> usage.put(name, Usage.of(pid)));
        nodes.forEach((name, node) -> usage.put(name, node.get()));
        for (int i = 0; i < tool.size(); i++) {
            String number = tool.size() == 1 ? "" : " " + (i + 1);
            usage.put(RunResult.TOOL + number, tool.get(i).usage());
        }
        return usage;
    }

    /** What is counted besides, without what nobody knows. May block for some seconds. */
    Map<String, Long> counted() {
        return counts.get();
    }
}
