package io.tributary.perf.command;

import io.tributary.cli.Program;
import io.tributary.perf.run.Addresses;
import io.tributary.perf.run.Runners;
import io.tributary.perf.run.Secret;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
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

    /**
     * Those that the options ask for; they are ready when this returns.
     *
     * @param err is told for how many from elsewhere it waits
     */
    static LocalRunners of(RunnerOptions options, PrintWriter err) throws IOException {
        if (!options.areWanted()) {
            return new LocalRunners(null, List.of());
        }
        String listen = options.listen();
        if (listen == null) {
            return start(options.count());
        }
        Secret secret = Secret.in(options.secretFile());
        Runners runners = new Runners(Addresses.parse(listen), secret);
        runners.await(options.count(), STRANGERS_LIMIT, err);
        return new LocalRunners(runners, List.of());
    }

    private static LocalRunners start(int count) throws IOException {
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
                processes.add(new ProcessBuilder(command(runners.port(), file))
                        .inheritIO()
                        .start());
            }
            runners.await(count, OWN_LIMIT, new PrintWriter(Writer.nullWriter()));
            return started;
        } catch (IOException | RuntimeException e) {
            started.close();
            throw e;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** This program again. When the connection to this process ends, it ends too. */
    private static List<String> command(int port, Path secret) {
        return List.of(
                Program.launcher().toString(),
                "perf",
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
