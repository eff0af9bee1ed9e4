package io.tributary.localcluster;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The command {@code ./tributary cluster}: {@code up}, {@code status}, {@code start}, {@code kill}, {@code down}.
 *
 * <p>Exit codes: 0 done, 1 it failed, 2 it was called wrongly.
 */
public final class ClusterCommand {
    private final Path launcher;
    private final Path defaultDirectory;
    private final Lifetime lifetime;
    private final PrintStream out;
    private final PrintStream err;

    ClusterCommand(Path launcher, Path defaultDirectory, Lifetime lifetime, PrintStream out, PrintStream err) {
        this.launcher = launcher;
        this.defaultDirectory = defaultDirectory;
        this.lifetime = lifetime;
        this.out = out;
        this.err = err;
    }

    /**
     * Called by the launcher, with what it was called with after {@code cluster}.
     *
     * @param arguments the launcher's path, the directory where none is given, then the words of the command
     */
    public static void main(String[] arguments) {
        List<String> words = List.of(arguments);
        ClusterCommand command = new ClusterCommand(
                Path.of(words.get(0)), Path.of(words.get(1)), Lifetime.DETACHED, System.out, System.err);
        System.exit(command.run(words.subList(2, words.size())));
    }

    /** Does what the words say; answers the exit code. */
    int run(List<String> words) {
        try {
            if (words.isEmpty()) {
                throw new UsageException("cluster needs one of up, status, start, kill, down; see ./tributary help");
            }
            List<String> rest = words.subList(1, words.size());
            switch (words.getFirst()) {
                case "up" -> up(rest);
                case "status" -> status(rest);
                case "start" -> start(rest);
                case "kill" -> kill(rest);
                case "down" -> down(rest);
                default ->
                    throw new UsageException(
                            "there is no 'cluster " + words.getFirst() + "'; there are up, status, start, kill, down");
            }
            return 0;
        } catch (UsageException e) {
            err.println("tributary: " + e.getMessage());
            return 2;
        } catch (LocalClusterException e) {
            err.println("tributary: " + e.getMessage() + (e.getCause() == null ? "" : " (" + e.getCause() + ")"));
            return 1;
        }
    }

    private void up(List<String> words) {
        ClusterArguments arguments = new ClusterArguments(
                words, Set.of("--dir", "--nodes", "--base-port", "--kafka-brokers", "--redis-replicas"));
        arguments.expectNoName();
        Path directory = directory(arguments);
        alone(directory, () -> {
            ClusterFile before = ClusterFile.read(directory).orElse(null);
            ClusterLayout layout = layout(arguments, before == null ? ClusterLayout.DEFAULT : before.layout());
            if (before != null) {
                checkGoesOn(directory, before, layout);
            }
            LocalCluster cluster = open(directory, new ClusterFile(layout, Map.of()));
            cluster.up(message -> err.println(message));
            ClusterReport.print(out, directory, cluster);
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

    private static ClusterLayout layout(ClusterArguments arguments, ClusterLayout otherwise) {
        return new ClusterLayout(
                arguments.number("--nodes", otherwise.nodes()),
                arguments.number("--kafka-brokers", otherwise.kafkaBrokers()),
                arguments.number("--redis-replicas", otherwise.redisReplicas()),
                arguments.number("--base-port", otherwise.basePort()));
    }

    private void status(List<String> words) {
        ClusterArguments arguments = new ClusterArguments(words, Set.of("--dir", "--json"));
        arguments.expectNoName();
        Path directory = directory(arguments);
        LocalCluster cluster = open(directory, existing(directory));
        if (arguments.has("--json")) {
            ClusterReport.printJson(out, directory, cluster);
        } else {
            ClusterReport.print(out, directory, cluster);
        }
    }

    private void start(List<String> words) {
        change(words, LocalCluster::start);
        err.println("It is ready");
    }

    private void kill(List<String> words) {
        change(words, LocalCluster::kill);
        err.println("It is killed; to start it again: ./tributary cluster start " + String.join(" ", words));
    }

    private void change(List<String> words, BiConsumer<LocalCluster, String> change) {
        ClusterArguments arguments = new ClusterArguments(words, Set.of("--dir"));
        String name = arguments.onlyName();
        Path directory = directory(arguments);
        existing(directory);
        alone(directory, () -> change.accept(open(directory, existing(directory)), name));
    }

    private void down(List<String> words) {
        ClusterArguments arguments = new ClusterArguments(words, Set.of("--dir"));
        arguments.expectNoName();
        Path directory = directory(arguments);
        existing(directory);
        alone(directory, () -> open(directory, existing(directory)).down());
        err.println("Stopped; the data is in " + directory);
    }

    private Path directory(ClusterArguments arguments) {
        return arguments.directory("--dir", defaultDirectory);
    }

    private static ClusterFile existing(Path directory) {
        return ClusterFile.read(directory)
                .orElseThrow(() -> new LocalClusterException(
                        "there is no cluster in " + directory + "; --dir names another directory"));
    }

    private LocalCluster open(Path directory, ClusterFile file) {
        return new LocalCluster(directory, file, launcher, lifetime);
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
