package io.tributary.localcluster;

import java.util.Collections;
import java.util.LinkedHashMap;
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

    /** A process of these ports. */
    static ClusterPart of(ServerProcess process, String role, Map<String, Integer> ports) {
        long pid = process.runningPid().orElse(0);
        return new ClusterPart(
                process.name(),
                role,
                pid == 0 ? "stopped" : "running",
                pid,
                ports,
                process.log().toString());
    }
}
