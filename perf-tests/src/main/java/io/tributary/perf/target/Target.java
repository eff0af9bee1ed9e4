package io.tributary.perf.target;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Brokers that run.
 *
 * @param name of the product, and how it is set up
 * @param facts what else is to be known when comparing
 * @param addresses where clients connect, one for each node
 * @param processes names and identifiers of all processes that it needs; empty where nobody knows
 * @param counts what else it has that can be counted, by name; below 0 when nobody can tell. May block for some
 *     seconds.
 * @param end ends what was started for it
 */
public record Target(
        String name,
        String version,
        Map<String, String> facts,
        List<InetSocketAddress> addresses,
        Map<String, Long> processes,
        Map<String, LongSupplier> counts,
        Runnable end)
        implements AutoCloseable {

    /** Copies lists and maps. */
    public Target {
        facts = Map.copyOf(facts);
        addresses = List.copyOf(addresses);
        processes = new LinkedHashMap<>(processes);
        counts = Map.copyOf(counts);
    }

    /** The same, of which this can be counted. */
    Target counting(Map<String, LongSupplier> more) {
        return new Target(name, version, facts, addresses, processes, more, end);
    }

    @Override
    public void close() {
        end.run();
    }
}
