package io.tributary.perf.target;

import io.tributary.perf.scenario.Step.Fault;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Brokers that run.
 *
 * @param name of the product, and how it is set up
 * @param facts what else is to be known when comparing
 * @param addresses where clients connect, one for each node
 * @param processes names and identifiers of all processes that it needs; empty where nobody knows
 * @param counts what else it has that can be counted, by name, without what nobody can tell. May block for some
 *     seconds.
 * @param faults has a fault happen to its second node, and returns when it has; throws {@link TargetException} where
 *     that cannot be
 * @param end ends what was started for it
 * @param agents where HAProxy can ask each node for its load; empty for those that do not say it
 * @param stays whether they run on when the tool has ended
 */
public record Target(
        String name,
        String version,
        Map<String, String> facts,
        List<InetSocketAddress> addresses,
        Map<String, Long> processes,
        Supplier<Map<String, Long>> counts,
        Consumer<Fault> faults,
        Runnable end,
        List<InetSocketAddress> agents,
        boolean stays)
        implements AutoCloseable {

    /** Started for one run, and nothing can happen to them. */
    public Target(
            String name,
            String version,
            Map<String, String> facts,
            List<InetSocketAddress> addresses,
            Map<String, Long> processes,
            Supplier<Map<String, Long>> counts,
            Runnable end) {
        this(name, version, facts, addresses, processes, counts, Target::refuse, end, List.of(), false);
    }

    private static void refuse(Fault fault) {
        throw new TargetException(
                "the step asks for a fault (" + fault + "), which a cluster alone can have: --target cluster:3");
    }

    /** Copies lists and maps. */
    public Target {
        facts = Map.copyOf(facts);
        addresses = List.copyOf(addresses);
        agents = List.copyOf(agents);
        processes = new LinkedHashMap<>(processes);
    }

    /** The same, which runs on when the tool has ended. */
    Target staying() {
        return new Target(name, version, facts, addresses, processes, counts, faults, end, agents, true);
    }

    /** The same with these processes. */
    Target watching(Map<String, Long> all) {
        return new Target(name, version, facts, addresses, all, counts, faults, end, agents, stays);
    }

    /** The same, of which this can be counted. */
    Target counting(Supplier<Map<String, Long>> more) {
        return new Target(name, version, facts, addresses, processes, more, faults, end, agents, stays);
    }

    /** The same, after whose end this is done, too. */
    Target ending(Runnable last) {
        Runnable both = () -> {
            try {
                end.run();
            } finally {
                last.run();
            }
        };
        return new Target(name, version, facts, addresses, processes, counts, faults, both, agents, stays);
    }

    @Override
    public void close() {
        end.run();
    }
}
