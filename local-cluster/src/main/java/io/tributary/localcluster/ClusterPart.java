package io.tributary.localcluster;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One process of a local cluster as it is now.
 *
 * @param role kafka, redis or node
 * @param pid 0 if it does not run
 * @param ports by what they are for
 */
record ClusterPart(String name, String role, String state, long pid, Map<String, Integer> ports, String log) {
    ClusterPart {
        ports = Collections.unmodifiableMap(new LinkedHashMap<>(ports));
    }

    /** With ports of these kinds, the first this one and the others each a step behind. */
    static ClusterPart of(ServerProcess process, String role, List<String> kinds, int port, int step) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (String kind : kinds) {
            ports.put(kind, port + step * ports.size());
        }
        long pid = process.runningPid().orElse(0);
        return new ClusterPart(
                process.name(),
                role,
                pid == 0 ? "stopped" : "running",
                pid,
                ports,
                process.log().toString());
    }

    /** The same with one more port. */
    ClusterPart with(String kind, int port) {
        Map<String, Integer> more = new LinkedHashMap<>(ports);
        more.put(kind, port);
        return new ClusterPart(name, role, state, pid, more, log);
    }
}
