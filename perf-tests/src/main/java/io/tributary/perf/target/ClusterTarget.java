package io.tributary.perf.target;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Our broker as a cluster on this machine: nodes, Kafka and Redis, by {@code ./tributary cluster}. */
final class ClusterTarget implements TargetKind {
    private final @Nullable Size size;
    private final Path running;

    private ClusterTarget(@Nullable Size size, Path running) {
        this.size = size;
        this.running = running;
    }

    /** One that is started. */
    ClusterTarget(Size size) {
        this(size, Path.of(""));
    }

    /** The one that runs already, in this directory. */
    ClusterTarget(Path running) {
        this(null, running);
    }

    /**
     * How many processes it has.
     *
     * @param nodes of Tributary
     * @param kafka brokers: 1, 3 or 5
     * @param redis primaries, from 3
     */
    record Size(int nodes, int kafka, int redis) {}

    @Override
    public Target start(TargetContext context) {
        context.refuseTls("Tributary cluster");
        String launcher = context.launcher().toString();
        boolean own = size != null;
        Path directory = own ? context.directory() : running;
        String dir = directory.toString();
        if (size != null) {
            List<String> up = new ArrayList<>(List.of(launcher, "cluster", "up", "--dir", dir));
            up.addAll(List.of("--nodes", Integer.toString(size.nodes())));
            up.addAll(List.of("--kafka-brokers", Integer.toString(size.kafka())));
            up.addAll(List.of("--redis-primaries", Integer.toString(size.redis())));
            up.addAll(List.of("--base-port", "0"));
            String said = Programs.run(withBasePort(up, context), environment(context.settings()));
            if (!said.contains("NAME")) {
                throw new TargetException("the cluster did not start: " + said);
            }
        }
        JsonNode status = status(launcher, dir);
        Runnable end =
                own ? () -> Programs.run(List.of(launcher, "cluster", "down", "--dir", dir), Map.of()) : () -> {};
        Map<String, String> settings = own ? context.settings() : Map.of();
        NodeFaults faults = new NodeFaults(launcher, dir, environment(settings), () -> status(launcher, dir));
        Target target = target(context, settings, status, faults, end);
        return own ? target : target.staying();
    }

    /** The settings as Spring takes them from the environment, whatever characters their names have. */
    private static Map<String, String> environment(Map<String, String> settings) {
        if (settings.isEmpty()) {
            return Map.of();
        }
        try {
            return Map.of("SPRING_APPLICATION_JSON", new ObjectMapper().writeValueAsString(settings));
        } catch (JsonProcessingException e) {
            throw new TargetException("settings that cannot be written: " + settings, e);
        }
    }

    /** Ten ports for each kind of server lie behind the first. */
    private static List<String> withBasePort(List<String> up, TargetContext context) {
        List<String> command = new ArrayList<>(up);
        command.set(command.size() - 1, Integer.toString(20_000 + context.freePort() % 100 * 100));
        return command;
    }

    private static JsonNode status(String launcher, String dir) {
        String said = Programs.run(List.of(launcher, "cluster", "status", "--json", "--dir", dir), Map.of());
        try {
            return new ObjectMapper().readTree(said);
        } catch (IOException e) {
            throw new TargetException("there is no cluster in " + dir + ": " + said, e);
        }
    }

    /** @param settings what the nodes were started with, as far as it is known here */
    private static Target target(
            TargetContext context, Map<String, String> settings, JsonNode status, NodeFaults faults, Runnable end) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        List<InetSocketAddress> redis = new ArrayList<>();
        List<InetSocketAddress> agents = new ArrayList<>();
        List<Integer> http = new ArrayList<>();
        Map<String, Long> processes = new LinkedHashMap<>();
        Map<String, Integer> roles = new TreeMap<>();
        String port = context.wire().isWebSocket() ? "ws" : "mqtt";
        for (JsonNode part : status.path("processes")) {
            if (part.path("pid").asLong() == 0) {
                end.run();
                throw new TargetException(part.path("name").asText() + " of the cluster does not run");
            }
            String role = part.path("role").asText();
            roles.merge(role, 1, Integer::sum);
            processes.put(part.path("name").asText(), part.path("pid").asLong());
            if (role.equals("node")) {
                addresses.add(address(part, port));
                agents.add(address(part, "agent"));
                http.add(part.path("ports").path("http").asInt());
            } else if (role.equals("redis")) {
                redis.add(address(part, "clients"));
            }
        }
        if (addresses.isEmpty()) {
            end.run();
            throw new TargetException("the cluster has no nodes; " + Program.name() + " cluster up --nodes 3");
        }
        RedisServers servers = new RedisServers(redis);
        String version = Programs.output(context.launcher().toString(), "version");
        NodeCounts nodes = NodeCounts.here(http);
        return new Target(
                "Tributary cluster",
                version,
                facts(settings, roles, servers),
                addresses,
                processes,
                () -> counts(nodes, servers),
                faults,
                end,
                agents,
                false);
    }

    private static Map<String, String> facts(
            Map<String, String> settings, Map<String, Integer> roles, RedisServers redis) {
        Map<String, String> facts = new TreeMap<>(settings);
        roles.forEach((role, count) -> facts.put("processes: " + role, Integer.toString(count)));
        facts.putIfAbsent("tributary.cluster.shards", "24 (default)");
        facts.put("copies in Kafka", Integer.toString(Math.min(3, roles.getOrDefault("kafka", 0))));
        facts.put("Redis on disk", redis.persistence());
        facts.putIfAbsent("tributary.cluster.kafka.linger", "2 ms (default)");
        facts.put("save points", "after 1 s, 2,000 messages or 1 MB, unless said above");
        return facts;
    }

    private static Map<String, Long> counts(NodeCounts nodes, RedisServers redis) {
        Map<String, Long> counts = new TreeMap<>(nodes.get());
        long known = redis.keys();
        if (known >= 0) {
            counts.put("keys in Redis", known);
        }
        return counts;
    }

    private static InetSocketAddress address(JsonNode part, String port) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), part.path("ports").path(port).asInt());
    }
}
