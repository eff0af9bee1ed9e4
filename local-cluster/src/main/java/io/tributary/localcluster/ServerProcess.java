package io.tributary.localcluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One server as a process of the operating system, which can be started again after it ended.
 *
 * <p>Its output is appended to a log file. A process that another JVM started is taken over with {@link #attach}, if
 * its command line is the server's, so a reused process identifier harms nobody. All methods block until what they ask
 * for has happened, with a bound. Thread-safe.
 */
public final class ServerProcess {
    private static final Path DEV_NULL = Path.of("/dev/null");

    /** For a signal that cannot be refused to take effect. */
    private static final Duration KILL_LIMIT = Duration.ofSeconds(20);

    private final String name;
    private final List<String> command;
    private final String mark;
    private final Path log;
    private final Lifetime lifetime;

    private @Nullable ProcessHandle handle;
    /** Where in the log the output of the present process begins, in bytes. */
    private long logStart;
    /** Up to where that output has been searched for a text, or {@link LogFile#FOUND}. */
    private final Map<String, Long> searched = new HashMap<>();

    /**
     * A server that is not started yet.
     *
     * @param mark what is in its command line and in no other process's, such as the path of its configuration file
     */
    public ServerProcess(String name, List<String> command, String mark, Path log, Lifetime lifetime) {
        if (command.stream().noneMatch(word -> word.contains(mark))) {
            throw new IllegalArgumentException(name + ": the command has no " + mark);
        }
        this.name = name;
        this.command = List.copyOf(command);
        this.mark = mark;
        this.log = log;
        this.lifetime = lifetime;
    }

    /**
     * Starts it; does not wait for it to be ready.
     *
     * @throws IllegalStateException if it runs
     * @throws LocalClusterException if there is no such program
     */
    public synchronized void start() {
        if (isRunning()) {
            throw new IllegalStateException(name + " runs already");
        }
        boolean bound = lifetime == Lifetime.BOUND;
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            logStart = Files.exists(log) ? Files.size(log) : 0;
            searched.clear();
            Process process = new ProcessBuilder(lifetime.command(command))
                    .redirectInput(
                            bound ? ProcessBuilder.Redirect.PIPE : ProcessBuilder.Redirect.from(DEV_NULL.toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            handle = process.toHandle();
            if (bound) {
                var _ = process.onExit().thenAccept(ServerProcess::dismissWatcher);
            }
        } catch (IOException e) {
            throw new LocalClusterException(name + " could not be started", e);
        }
    }

    private static void dismissWatcher(Process ended) {
        try (OutputStream pipe = ended.getOutputStream()) {
            pipe.write('\n');
        } catch (IOException e) {
            // It has gone by itself.
        }
    }

    /**
     * Takes over the process with this identifier if it is this server's; otherwise the server counts as not running.
     */
    public synchronized void attach(long pid) {
        handle = ProcessHandle.of(pid)
                .filter(process -> process.info().commandLine().orElse("").contains(mark))
                .orElse(null);
    }

    /**
     * Waits until the server is ready.
     *
     * @throws LocalClusterException if it ends before, or is not ready in time
     */
    public void awaitReady(BooleanSupplier ready, Duration limit) {
        if (!await(() -> !isRunning() || ready.getAsBoolean(), limit)) {
            throw new LocalClusterException(name + " was not ready within " + limit.toSeconds() + " s." + logEnd());
        }
        if (!isRunning()) {
            throw new LocalClusterException(name + " ended while it started." + logEnd());
        }
    }

    /** Whether the condition came true in time; asks for it again and again. */
    static boolean await(BooleanSupplier condition, Duration limit) {
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNanos > 0) {
                return false;
            }
            try {
                Thread.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new LocalClusterException("interrupted while waiting", e);
            }
        }
        return true;
    }

    /**
     * Asks it to end (SIGTERM), waits, and kills it where it takes longer than the limit; nothing if it does not run.
     */
    public synchronized void stop(Duration limit) {
        Optional<ProcessHandle> running = running();
        if (running.isPresent()) {
            running.get().destroy();
            if (!hasEnded(running.get(), limit)) {
                kill();
            }
        }
    }

    /** Ends it at once (SIGKILL), also when it is paused; nothing if it does not run. */
    public synchronized void kill() {
        Optional<ProcessHandle> running = running();
        if (running.isPresent()) {
            running.get().destroyForcibly();
            if (!hasEnded(running.get(), KILL_LIMIT)) {
                throw new LocalClusterException(
                        name + " (process " + running.get().pid() + ") survived SIGKILL");
            }
        }
    }

    private static boolean hasEnded(ProcessHandle process, Duration limit) {
        return await(() -> hasEnded(process), limit);
    }

    /**
     * Whether it has given back what it held. A process whose parent never asks for its exit code stays in the list: as
     * a zombie, which has no command line. Nor has one for a moment that is on its way out or becomes another program.
     */
    private static boolean hasEnded(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        if (process.info().commandLine().isPresent()) {
            return false;
        }
        try {
            String state = Commands.run(List.of("ps", "-o", "stat=", "-p", Long.toString(process.pid())));
            // With an l there are threads yet that have not ended.
            return state.startsWith("Z") && !state.contains("l");
        } catch (LocalClusterException e) {
            return !process.isAlive();
        }
    }

    /** Stops its clock (SIGSTOP): its connections stay open and nothing answers. */
    public synchronized void pause() {
        signal("STOP");
    }

    /** Lets it go on after {@link #pause} (SIGCONT). */
    public synchronized void resume() {
        signal("CONT");
    }

    /** Has it make no file longer than this, until it ends; what goes beyond is refused (EFBIG). Needs Linux. */
    synchronized void limitFiles(long bytes) {
        Commands.run(List.of("prlimit", "--pid", Long.toString(pid()), "--fsize=" + bytes));
    }

    private void signal(String signal) {
        Commands.run(List.of("sh", "-c", "kill -" + signal + " " + pid()));
    }

    /** Whether the process is there; a paused one is. */
    public synchronized boolean isRunning() {
        return running().isPresent();
    }

    /** The process; the handle knows it by the time of its start too, so it is never another one. */
    private Optional<ProcessHandle> running() {
        return Optional.ofNullable(handle).filter(process -> !hasEnded(process));
    }

    /**
     * The process identifier.
     *
     * @throws IllegalStateException if it does not run
     */
    public synchronized long pid() {
        return runningPid().orElseThrow(() -> new IllegalStateException(name + " does not run"));
    }

    /** The process identifier; empty if it does not run, and it may end at any moment. */
    public synchronized OptionalLong runningPid() {
        return running().stream().mapToLong(ProcessHandle::pid).findFirst();
    }

    /** What it is called, such as {@code kafka-1}. */
    public String name() {
        return name;
    }

    /** The file with all its output, over restarts. */
    public Path log() {
        return log;
    }

    /** Whether the process that was started last has written this to its log. */
    public synchronized boolean hasLogged(String text) {
        long from = searched.getOrDefault(text, logStart);
        long next = from == LogFile.FOUND ? from : LogFile.search(log, from, text);
        searched.put(text, next);
        return next == LogFile.FOUND;
    }

    private synchronized String logEnd() {
        return " The end of " + log + ":" + System.lineSeparator() + LogFile.end(log, logStart);
    }
}
