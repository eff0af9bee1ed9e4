package io.tributary.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster of three primaries, or more, with as many replicas each as wanted, each server a process of its own,
 * from the {@code redis-server} and {@code redis-cli} that are installed (7 or newer).
 *
 * <p>At first the servers with the lowest numbers are the primaries. A primary that is gone is replaced by a replica,
 * where it has one, within about three seconds; without one the cluster answers nobody until the primary is back.
 */
public final class LocalRedis extends LocalServers {
    /** The fewest of a Redis Cluster. */
    private static final int PRIMARIES = 3;

    private static final Duration READY_LIMIT = Duration.ofSeconds(30);

    private final Path directory;
    private final List<RedisSettings> settings;
    private final int replicas;
    private final RedisCli cli;

    private LocalRedis(Builder builder, List<ServerProcess> servers, List<RedisSettings> settings) {
        super(servers, settings.stream().map(RedisSettings::port).toList());
        this.directory = builder.directory;
        this.settings = settings;
        this.replicas = builder.replicas;
        this.cli = new RedisCli(builder.admin, builder.authority);
    }

    /** Servers that keep their data in this directory; three, bound to this JVM, on free ports, unless more is said. */
    public static Builder in(Path directory) {
        return new Builder(directory);
    }

    /** The servers' addresses, {@code host:port} each. */
    public List<String> nodes() {
        return List.of(addresses().split(",", -1));
    }

    /**
     * Sends a command to server {@code i} itself, which may refuse it with MOVED; answers what {@code redis-cli}
     * prints.
     */
    public String call(int i, String... command) {
        return cli.call(port(i), command);
    }

    /** Sends a command to the server that is in charge, asking server {@code i} first. */
    public String callCluster(int i, String... command) {
        List<String> words = new ArrayList<>(List.of("-c", "-p", Integer.toString(port(i))));
        words.addAll(List.of(command));
        return cli.run(words);
    }

    /** Whether all slots are served, as server {@code i}, which runs, sees it. */
    public boolean isWhole(int i) {
        return cli.answers(port(i)) && call(i, "CLUSTER", "INFO").contains("cluster_state:ok");
    }

    /** Writes the data of server {@code i}, which runs, to a new file, from which {@link #restartWith} can start it. */
    public Path snapshot(int i) {
        call(i, "SAVE");
        try {
            Path copy = Files.createTempFile(directory, "redis-" + i + "-", ".rdb");
            return Files.copy(dump(i), copy, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be used", e);
        }
    }

    /** Starts server {@code i}, which must not run, with the data of an earlier {@link #snapshot} and none newer. */
    public void restartWith(int i, Path snapshot) {
        deleteData(i);
        try {
            Files.copy(snapshot, dump(i));
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be used", e);
        }
        restart(i);
    }

    /** Starts server {@code i}, which must not run, without any data; its place in the cluster it keeps. */
    public void restartEmpty(int i) {
        deleteData(i);
        restart(i);
    }

    private void deleteData(int i) {
        if (isRunning(i)) {
            throw new IllegalStateException("redis-" + i + " runs");
        }
        try (Stream<Path> files = Files.walk(home(i))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".rdb") || name.endsWith(".aof") || name.endsWith(".manifest")) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be used", e);
        }
    }

    private Path dump(int i) {
        return home(i).resolve("dump.rdb");
    }

    private Path home(int i) {
        process(i);
        return settings.get(i - 1).data();
    }

    @Override
    void start() {
        RedisPrograms.check();
        launchAll();
        for (int i = 1; i <= size(); i++) {
            awaitAnswer(i);
        }
        if (call(1, "CLUSTER", "NODES").lines().count() == 1) {
            List<String> words = new ArrayList<>(List.of("--cluster", "create"));
            words.addAll(nodes());
            words.addAll(List.of("--cluster-replicas", Integer.toString(replicas), "--cluster-yes"));
            cli.run(words);
        }
        awaitAllReady();
    }

    @Override
    void prepare(int i) {
        Path home = home(i);
        try {
            Files.createDirectories(home);
            PrivateFile.write(home.resolve("redis.conf"), settings.get(i - 1).lines());
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be used", e);
        }
    }

    /** With all servers there it sees the cluster whole; with some missing it only answers. */
    @Override
    void awaitReady(int i) {
        awaitAnswer(i);
        if (allRun()) {
            process(i).awaitReady(() -> isWhole(i) && replicasFollow(i), READY_LIMIT);
        }
    }

    private void awaitAnswer(int i) {
        process(i).awaitReady(() -> cli.answers(port(i)), READY_LIMIT);
    }

    private boolean allRun() {
        return processes().stream().allMatch(ServerProcess::isRunning);
    }

    /** A replica counts once it has all of its primary's data. */
    private boolean replicasFollow(int i) {
        String role = call(i, "ROLE");
        return role.startsWith("master") || role.contains("connected");
    }

    /** What is to be decided before the servers start. */
    public static final class Builder {
        private final Path directory;
        private int primaries = PRIMARIES;
        private int replicas;
        private int basePort;
        private boolean appendOnly;
        private String save = "";
        private @Nullable AdminUser admin;
        private @Nullable LocalAuthority authority;
        private Lifetime lifetime = Lifetime.BOUND;

        private Builder(Path directory) {
            this.directory = directory.toAbsolutePath().normalize();
        }

        /** Primaries; three, unless said, and no fewer. */
        public Builder primaries(int count) {
            primaries = count;
            return this;
        }

        /** Replicas of each primary; none, unless said. */
        public Builder replicas(int count) {
            replicas = count;
            return this;
        }

        /** Whether each write goes to a file at once, so that a killed server comes back with nearly all; else not. */
        public Builder appendOnly(boolean on) {
            appendOnly = on;
            return this;
        }

        /** When snapshots are written, as in {@code save 60 1}; never, unless said. */
        public Builder save(String rule) {
            save = rule;
            return this;
        }

        /**
         * The user who may do anything, and the only one at first; without it, everybody on this machine may do
         * anything.
         */
        public Builder admin(AdminUser chosen) {
            admin = chosen;
            return this;
        }

        /** Has all connections encrypted, with a certificate of this authority; without it none is. */
        public Builder tls(LocalAuthority chosen) {
            authority = chosen;
            return this;
        }

        /**
         * The first of as many ports as there are servers, and as many behind for their bus; 0 for any free ones. A
         * directory that has been used before needs the ports that it was used with.
         */
        public Builder basePort(int port) {
            basePort = port;
            return this;
        }

        /** How long the servers live when nobody stops them. */
        public Builder lifetime(Lifetime chosen) {
            lifetime = chosen;
            return this;
        }

        /** Servers that are not started. */
        LocalRedis build() {
            int count = primaries * (1 + replicas);
            List<Integer> ports = Ports.from(basePort, 2 * count);
            List<RedisSettings> settings = IntStream.rangeClosed(1, count)
                    .mapToObj(i -> new RedisSettings(
                            ports.get(i - 1),
                            ports.get(count + i - 1),
                            directory.resolve("redis-" + i),
                            appendOnly,
                            save,
                            admin,
                            authority))
                    .toList();
            List<ServerProcess> servers = IntStream.rangeClosed(1, count)
                    .mapToObj(i -> process(i, settings.get(i - 1)))
                    .toList();
            return new LocalRedis(this, servers, settings);
        }

        private ServerProcess process(int i, RedisSettings server) {
            String file = server.data().resolve("redis.conf").toString();
            return new ServerProcess(
                    "redis-" + i,
                    List.of("redis-server", file),
                    file,
                    directory.resolve("redis-" + i + ".log"),
                    lifetime);
        }

        /**
         * Starts the servers, joins them into a cluster where they are not one yet, and waits until it is whole.
         *
         * @throws LocalClusterException if that fails, or Redis is not installed; no server is left running then
         */
        public LocalRedis start() {
            LocalRedis redis = build();
            redis.startAllOrNone();
            return redis;
        }
    }
}
