package io.tributary.perf.command;

import io.tributary.perf.run.Addresses;
import io.tributary.perf.run.Runners;
import io.tributary.perf.run.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The runners of a command: none, or so many that it starts itself, or so many that come from elsewhere. */
final class LocalRunners implements AutoCloseable {
    private static final Duration OWN_LIMIT = Duration.ofSeconds(60);
    private static final Duration STRANGERS_LIMIT = Duration.ofMinutes(10);

    private final @Nullable Runners runners;
    private final List<Process> processes;

    private LocalRunners(@Nullable Runners runners, List<Process> processes) {
        this.runners = runners;
        this.processes = processes;
    }

    /** Those that the options ask for; they are ready when this returns. */
    static LocalRunners of(Arguments arguments, Path root) throws IOException {
        boolean strangers = arguments.has("--listen");
        if (!arguments.has("--runners") && !strangers) {
            return new LocalRunners(null, List.of());
        }
        int count = arguments.number("--runners", 1);
        if (strangers) {
            Path file = Path.of(arguments
                    .value("--secret-file")
                    .orElseThrow(() -> new UsageException("--listen needs --secret-file, which runners have too")));
            InetSocketAddress address =
                    Addresses.parse(arguments.value("--listen").orElseThrow());
            Runners runners = new Runners(address, Secret.in(file));
            runners.await(count, STRANGERS_LIMIT);
            return new LocalRunners(runners, List.of());
        }
        return start(count, root);
    }

    private static LocalRunners start(int count, Path root) throws IOException {
        Secret secret = Secret.random();
        Path file = Files.createTempFile(
                "tributary-perf-",
                ".secret",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        secret.write(file);
        Runners runners = new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), secret);
        List<Process> processes = new ArrayList<>();
        LocalRunners started = new LocalRunners(runners, processes);
        try {
            for (int i = 0; i < count; i++) {
                processes.add(new ProcessBuilder(command(root, runners.port(), file))
                        .inheritIO()
                        .start());
            }
            runners.await(count, OWN_LIMIT);
            return started;
        } catch (IOException | RuntimeException e) {
            started.close();
            throw e;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** This program again. When the connection to this process ends, it ends too. */
    private static List<String> command(Path root, int port, Path secret) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                PerfCommand.class.getName(),
                root.toString(),
                "unknown",
                "runner",
                "--connect",
                "127.0.0.1:" + port,
                "--secret-file",
                secret.toString());
    }

    /** The runners; null where this process runs all clients itself. */
    @Nullable
    Runners present() {
        return runners;
    }

    @Override
    public void close() {
        if (runners != null) {
            runners.close();
        }
        processes.forEach(Process::destroy);
    }
}
