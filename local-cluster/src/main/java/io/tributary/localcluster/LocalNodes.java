package io.tributary.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The broker nodes of a local cluster: {@code n1}, {@code n2}, ..., each started by the launcher as {@code run} does.
 */
final class LocalNodes extends LocalServers {
    /**
     * Seconds, but for all nodes that start at once on a machine that has much else to do; one that ends is noticed
     * before.
     */
    private static final Duration READY_LIMIT = Duration.ofMinutes(4);

    private final Path secret;

    private LocalNodes(List<ServerProcess> servers, List<Integer> ports, Path secret) {
        super(servers, ports);
        this.secret = secret;
    }

    /**
     * Nodes that are not started.
     *
     * @param launcher the script {@code tributary}
     */
    static LocalNodes of(
            Path directory,
            ClusterLayout layout,
            LocalKafka kafka,
            LocalRedis redis,
            Path launcher,
            Lifetime lifetime) {
        Path secret = directory.resolve("link.secret");
        List<String> shared = List.of(
                "--tributary.mode=cluster",
                "--tributary.cluster.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "--tributary.cluster.kafka.replication-factor=" + Math.min(3, kafka.size()),
                "--tributary.cluster.redis.nodes=" + redis.addresses(),
                "--tributary.cluster.link.host=127.0.0.1",
                "--tributary.cluster.link.secret-file=" + secret);
        List<ServerProcess> servers = IntStream.rangeClosed(1, layout.nodes())
                .mapToObj(i -> {
                    // In the command line it tells this node from all others.
                    String data = "--tributary.data-dir=" + directory.resolve("n" + i);
                    List<String> command = new ArrayList<>(List.of(launcher.toString(), "run", data));
                    command.addAll(List.of(
                            "--tributary.node-name=n" + i,
                            "--tributary.listeners.tcp.port=" + layout.mqttPort(i),
                            "--tributary.listeners.ws.port=" + layout.webSocketPort(i),
                            "--server.port=" + layout.managementPort(i),
                            "--tributary.cluster.link.port=" + layout.linkPort(i),
                            "--tributary.agent-check.port=" + layout.agentPort(i)));
                    command.addAll(shared);
                    return new ServerProcess("n" + i, command, data, directory.resolve("n" + i + ".log"), lifetime);
                })
                .toList();
        return new LocalNodes(servers, layout.mqttPorts(), secret);
    }

    /** Makes the secret by which nodes know each other, which only this user can read. */
    @Override
    void prepare(int i) {
        if (Files.exists(secret)) {
            return;
        }
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        try {
            Files.createFile(
                    secret, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(secret, HexFormat.of().formatHex(random));
        } catch (IOException e) {
            throw new LocalClusterException(secret + " cannot be used", e);
        }
    }

    @Override
    void awaitReady(int i) {
        // A line of its own, the last of the broker's start report.
        process(i).awaitReady(() -> process(i).hasLogged("\nready\n"), READY_LIMIT);
    }
}
