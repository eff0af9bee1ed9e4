package io.tributary.localcluster;

import io.tributary.cli.Program;
import io.tributary.cli.Subcommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code tributary cluster}: {@code up}, {@code status}, {@code start}, {@code kill}, {@code down}. */
@Command(
        name = "cluster",
        synopsisSubcommandLabel = "COMMAND",
        description =
                "A cluster on this machine: Kafka, Redis Cluster and broker nodes, each part a process of its own.",
        footer = "Another number of shards, for any cluster whose nodes are stopped: cluster reshard -h")
public final class ClusterCommand implements Subcommand, Runnable {
    private final Supplier<Path> launcher;
    private final Lifetime lifetime;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Of processes that go on when the command has ended. */
    public ClusterCommand() {
        this(Program::launcher, Lifetime.DETACHED);
    }

    ClusterCommand(Supplier<Path> launcher, Lifetime lifetime) {
        this.launcher = launcher;
        this.lifetime = lifetime;
    }

    /** Called by the launcher, with what it was called with after {@code cluster}. */
    public static void main(String[] words) {
        Program.main(new ClusterCommand(), words);
    }

    @Override
    public boolean explains(Exception failure) {
        return failure instanceof LocalClusterException;
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "cluster needs one of " + String.join(", ", spec.subcommands().keySet()));
    }

    /** Where the cluster is. */
    static final class Place {
        @Option(
                names = "--dir",
                paramLabel = "DIR",
                defaultValue = "data/cluster",
                description = "Where its data and logs are (${DEFAULT-VALUE}).")
        private Path directory = Path.of("");

        Path directory() {
            return directory.toAbsolutePath().normalize();
        }
    }

    /** What may differ from the layout before, or from the default. */
    static final class Sizes {
        @Option(names = "--nodes", paramLabel = "N", description = "Broker nodes, 0 to 9 (3).")
        private @Nullable Integer nodes;

        @Option(
                names = "--base-port",
                paramLabel = "PORT",
                description = "The MQTT port of the first node (18830); all other ports are behind it.")
        private @Nullable Integer basePort;

        @Option(names = "--kafka-brokers", paramLabel = "N", description = "Kafka brokers, 1, 3 or 5 (1).")
        private @Nullable Integer kafkaBrokers;

        @Option(
                names = "--redis-primaries",
                paramLabel = "N",
                description = "Redis primaries, 3 to 15; with their replicas 15 servers at most (3).")
        private @Nullable Integer redisPrimaries;

        @Option(
                names = "--redis-replicas",
                paramLabel = "N",
                description = "Replicas of each Redis primary, 0 to 4 (0).")
        private @Nullable Integer redisReplicas;

        ClusterLayout layout(ClusterLayout otherwise) {
            return new ClusterLayout(
                    nodes == null ? otherwise.nodes() : nodes,
                    kafkaBrokers == null ? otherwise.kafkaBrokers() : kafkaBrokers,
                    redisPrimaries == null ? otherwise.redisPrimaries() : redisPrimaries,
                    redisReplicas == null ? otherwise.redisReplicas() : redisReplicas,
                    basePort == null ? otherwise.basePort() : basePort);
        }
    }

    @Command(
            name = "up",
            description = "Start it and wait until all of it is ready; with the data and the sizes of before, if any.")
    void up(@Mixin Place place, @Mixin Sizes sizes) {
        Path directory = place.directory();
        alone(directory, () -> {
            ClusterFile before = ClusterFile.read(directory).orElse(null);
            ClusterLayout layout = sizes.layout(before == null ? ClusterLayout.DEFAULT : before.layout());
            if (before != null) {
                checkGoesOn(directory, before, layout);
            }
            LocalCluster cluster = open(directory, new ClusterFile(layout, Map.of()));
            cluster.up(this::say);
            ClusterReport.print(out(), directory, cluster);
        });
    }

    private void checkGoesOn(Path directory, ClusterFile before, ClusterLayout layout) {
        // With the layout of before: fewer nodes now must not hide one that runs.
        open(directory, before).checkNothingRuns();
        if (!layout.fits(before.layout())) {
            throw new LocalClusterException(directory + " has the data of another cluster (" + before.layout()
                    + "); leave these options out, name another --dir, or delete that one");
        }
    }

    @Command(name = "status", description = "Its processes: names, states, process identifiers, ports.")
    void status(@Mixin Place place, @Option(names = "--json", description = "For programs.") boolean json) {
        Path directory = place.directory();
        LocalCluster cluster = open(directory, existing(directory));
        if (json) {
            ClusterReport.printJson(out(), directory, cluster);
        } else {
            ClusterReport.print(out(), directory, cluster);
        }
    }

    @Command(name = "start", description = "Start one of its processes again and wait until it is ready.")
    void start(@Mixin Place place, @Parameters(paramLabel = "NAME", description = "Such as n1.") String name) {
        change(place.directory(), name, LocalCluster::start);
        say("It is ready");
    }

    @Command(name = "kill", description = "End one of its processes at once (SIGKILL).")
    void kill(
            @Mixin Place place,
            @Parameters(paramLabel = "NAME", description = "Such as n1, kafka-1 or redis-1.") String name) {
        change(place.directory(), name, LocalCluster::kill);
        say("It is killed; to start it again: " + Program.name() + " cluster start " + name + " --dir "
                + place.directory());
    }

    private void change(Path directory, String name, BiConsumer<LocalCluster, String> change) {
        existing(directory);
        alone(directory, () -> change.accept(open(directory, existing(directory)), name));
    }

    @Command(name = "down", description = "End all of it in order; the data stays.")
    void down(@Mixin Place place) {
        Path directory = place.directory();
        existing(directory);
        alone(directory, () -> open(directory, existing(directory)).down());
        say("Stopped; the data is in " + directory);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void say(String message) {
        spec.commandLine().getErr().println(message);
    }

    private static ClusterFile existing(Path directory) {
        return ClusterFile.read(directory)
                .orElseThrow(() -> new LocalClusterException(
                        "there is no cluster in " + directory + "; --dir names another directory"));
    }

    private LocalCluster open(Path directory, ClusterFile file) {
        return new LocalCluster(directory, file, launcher.get(), lifetime);
    }

    /** Runs what changes the cluster of a directory, while no other command does. */
    private static void alone(Path directory, Runnable action) {
        try {
            Files.createDirectories(directory);
            try (FileChannel channel = FileChannel.open(
                            directory.resolve("cluster.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    @Nullable FileLock lock = tryLock(channel)) {
                if (lock == null) {
                    throw new LocalClusterException("another command is busy with the cluster in " + directory);
                }
                action.run();
            }
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be used", e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }
}
