package io.tributary.perf.target;

import io.tributary.perf.run.Addresses;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All that can be measured, by the words of the command line. */
public final class Targets {
    private static final Map<String, TargetKind> BY_NAME = byName();

    private Targets() {}

    private static Map<String, TargetKind> byName() {
        Map<String, TargetKind> kinds = new LinkedHashMap<>();
        kinds.put("standalone", new Standalone());
        kinds.put("cluster", new ClusterTarget(1, Path.of("")));
        kinds.put("mosquitto", new Mosquitto());
        kinds.put("hivemq-ce", new HiveMq());
        kinds.put("nats", new Nats());
        kinds.put("mochi", new Mochi());
        return kinds;
    }

    /** What can be said, for people. */
    public static String choices() {
        return String.join(", ", BY_NAME.keySet()) + ", cluster:NODES, cluster:DIRECTORY,"
                + " haproxy:POLICY:NODES, HOST:PORT[,HOST:PORT...]";
    }

    /**
     * Starts what the words say, or goes to what is there.
     *
     * @param pids names and identifiers of processes to measure besides
     */
    public static Target start(String words, TargetContext context, Map<String, Long> pids) {
        Target target = kind(words).start(context);
        Map<String, Long> all = new LinkedHashMap<>(target.processes());
        all.putAll(pids);
        return new Target(
                target.name(),
                target.version(),
                target.facts(),
                target.addresses(),
                all,
                target.counts(),
                target.faults(),
                target.end());
    }

    private static TargetKind kind(String words) {
        TargetKind known = BY_NAME.get(words.toLowerCase(Locale.ROOT));
        if (known != null) {
            return known;
        }
        if (words.startsWith("cluster:")) {
            String which = words.substring("cluster:".length());
            if (which.matches("[1-9]")) {
                return new ClusterTarget(Integer.parseInt(which), Path.of(""));
            }
            if (!Files.isDirectory(Path.of(which))) {
                throw new TargetException("--target " + words + ": there is no such directory");
            }
            return new ClusterTarget(0, Path.of(which));
        }
        if (words.startsWith("haproxy:")) {
            return balanced(words);
        }
        if (words.indexOf(':') < 0) {
            throw new TargetException("--target " + words + ": one of " + choices());
        }
        List<InetSocketAddress> addresses =
                Arrays.stream(words.split(",", -1)).map(Addresses::parse).toList();
        return _ -> new Target("broker at " + words, "unknown", Map.of(), addresses, Map.of(), Map.of(), () -> {});
    }

    private static TargetKind balanced(String words) {
        String[] parts = words.split(":", -1);
        if (parts.length != 3 || !parts[2].matches("[1-9]")) {
            throw new TargetException("--target " + words
                    + ": it is haproxy:POLICY:NODES, with 1 to 9 nodes and one of " + Balancing.words());
        }
        return new BalancedCluster(Balancing.of(parts[1]), Integer.parseInt(parts[2]));
    }
}
