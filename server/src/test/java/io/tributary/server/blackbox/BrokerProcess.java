package io.tributary.server.blackbox;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.tributary.localcluster.Lifetime;
import io.tributary.localcluster.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The broker in a JVM of its own, started from the class path of the tests or from an installation, which can really be
 * killed. Its ports and data folder stay the same when it is started again. It ends with this JVM, however that ends.
 * One thread at a time.
 */
public final class BrokerProcess implements AutoCloseable {
    private static final String MAIN_CLASS = "io.tributary.server.TributaryApplication";
    private static final int START_LIMIT_SECONDS = 120;
    private static final int STOP_LIMIT_SECONDS = 60;
    private static final int TOOL_LIMIT_SECONDS = 20;
    private static final int KEPT_LINES = 120;
    private static final Set<BrokerProcess> OPEN = ConcurrentHashMap.newKeySet();

    static {
        // A broker must not outlive the tests, however these end.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(BrokerProcess::destroy)));
    }

    private final Path folder;
    private final List<String> jvmOptions;
    private final List<String> settings;
    private final Map<String, String> environment = new HashMap<>();
    private int tcpPort = Ports.free();
    private final int webSocketPort = Ports.free();
    private int httpPort = Ports.free();
    private final Deque<String> tail = new ArrayDeque<>();
    private @Nullable Installation installation;
    private volatile @Nullable Process process;

    private BrokerProcess(Path folder, List<String> jvmOptions, List<String> settings) {
        this.folder = folder;
        this.jvmOptions = jvmOptions;
        this.settings = new ArrayList<>(settings);
    }

    /** Starts a broker with default settings and waits until it is ready. */
    public static BrokerProcess start(Path folder) {
        return start(folder, List.of("-Xmx256m"), List.of());
    }

    /**
     * Starts a broker and waits until it is ready.
     *
     * @param folder where it keeps its data and its log
     * @param settings as on its command line: {@code --tributary.key=value}
     */
    public static BrokerProcess start(Path folder, List<String> jvmOptions, List<String> settings) {
        BrokerProcess broker = prepare(folder, jvmOptions, settings);
        broker.start();
        return broker;
    }

    /** A broker that is not started yet. */
    public static BrokerProcess prepare(Path folder, List<String> jvmOptions, List<String> settings) {
        BrokerProcess broker = new BrokerProcess(folder, jvmOptions, settings);
        OPEN.add(broker);
        return broker;
    }

    /** Gives a setting another value, from its next start on: {@code --tributary.key=value}. */
    public void setting(String changed) {
        String key = changed.substring(0, changed.indexOf('=') + 1);
        settings.removeIf(setting -> setting.startsWith(key));
        settings.add(changed);
    }

    /** One of the program's commands in a JVM of its own, with the settings of this broker, which does not run. */
    public ProcessBuilder command(String mainClass, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(allSettings());
        return new ProcessBuilder(Lifetime.BOUND.command(java(mainClass, all))).redirectErrorStream(true);
    }

    /** Sets environment variables of its process, before it is started. */
    public BrokerProcess environment(Map<String, String> variables) {
        environment.putAll(variables);
        return this;
    }

    /** Has it listen at ports that the test chose, before it is started; the address is a setting. */
    public BrokerProcess ports(int tcp, int http) {
        tcpPort = tcp;
        httpPort = http;
        return this;
    }

    /** From its next start on it runs from this installation. */
    public BrokerProcess runFrom(Installation other) {
        installation = other;
        return this;
    }

    /** The ends of the logs of all brokers that run now or were not closed yet. */
    static String logTails() {
        StringBuilder tails = new StringBuilder();
        for (BrokerProcess broker : OPEN) {
            tails.append("\n--- the end of ").append(broker.log()).append(":\n").append(broker.logTail());
        }
        return tails.toString();
    }

    /** Starts it again, after {@link #kill} or {@link #stop}, and waits until it is ready. */
    public void start() {
        CompletableFuture<Void> ready = new CompletableFuture<>();
        try {
            Files.createDirectories(folder);
            ProcessBuilder builder = new ProcessBuilder(Lifetime.BOUND.command(command())).redirectErrorStream(true);
            builder.environment().putAll(environment);
            if (installation != null) {
                builder.directory(folder.toFile());
                builder.environment().putAll(Installation.environment(javaOptions()));
            }
            Process started = builder.start();
            process = started;
            Thread.ofPlatform().daemon().name("broker-log").start(() -> copyLog(started, ready));
            ready.get(START_LIMIT_SECONDS, SECONDS);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        } catch (ExecutionException | TimeoutException failure) {
            destroy();
            throw new IllegalStateException("the broker did not get ready:\n" + logTail(), failure);
        }
    }

    /** Ends it with SIGKILL. */
    public void kill() {
        destroy();
    }

    /** Makes it stand still (SIGSTOP): its connections stay open and nothing answers. */
    public void pause() {
        signal("STOP");
    }

    /** Lets it go on after {@link #pause}. */
    public void resume() {
        signal("CONT");
    }

    /** Sends SIGTERM; {@link #awaitExit} waits for what comes of it. */
    public void terminate() {
        running().toHandle().destroy(); // leaves the pipes open, unlike the process's own method
    }

    /** Ends it with SIGTERM and waits until it is gone. */
    public int stop() {
        terminate();
        return awaitExit();
    }

    /** Waits until it is gone, and gives its exit code. */
    public int awaitExit() {
        try {
            if (!running().waitFor(STOP_LIMIT_SECONDS, SECONDS)) {
                throw new AssertionError("the broker runs on after " + STOP_LIMIT_SECONDS + " s");
            }
            return running().exitValue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    public boolean isAlive() {
        return running().isAlive();
    }

    public int tcpPort() {
        return tcpPort;
    }

    public int webSocketPort() {
        return webSocketPort;
    }

    /** The port of actuator and metrics. */
    public int httpPort() {
        return httpPort;
    }

    public long pid() {
        return running().pid();
    }

    /** The file with all that it printed, over all its starts. */
    public Path log() {
        return folder.resolve("broker.log");
    }

    /** Writes what its threads do to {@code threads.txt} beside its log, if it answers. */
    public void dumpThreads() {
        diagnose("Thread.print", "threads.txt");
    }

    /** Has it collect its garbage, if it answers. */
    public void collectGarbage() {
        diagnose("GC.run", "garbage.txt");
    }

    private void diagnose(String command, String file) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        run(new ProcessBuilder(jcmd.toString(), Long.toString(pid()), command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(file).toFile()));
    }

    /** The last lines that it printed. */
    public String logTail() {
        synchronized (tail) {
            return String.join("\n", tail);
        }
    }

    /** Kills it if it still runs; its folder stays. */
    @Override
    public void close() {
        OPEN.remove(this);
        destroy();
    }

    private List<String> allSettings() {
        List<String> all = new ArrayList<>(List.of(
                "--tributary.listeners.tcp.port=" + tcpPort,
                "--tributary.listeners.ws.port=" + webSocketPort,
                "--tributary.data-dir=" + folder.resolve("data"),
                "--server.port=" + httpPort));
        all.addAll(settings);
        return all;
    }

    private List<String> command() {
        List<String> all = allSettings();
        if (installation != null) {
            return installation.run(all);
        }
        return java(MAIN_CLASS, all);
    }

    private List<String> java(String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(javaOptions());
        command.addAll(StartCache.options());
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    private List<String> javaOptions() {
        List<String> options = new ArrayList<>();
        options.add("-XX:+ExitOnOutOfMemoryError");
        options.add("-XX:TieredStopAtLevel=1"); // tests start it often, and the machine is small
        options.addAll(jvmOptions);
        return options;
    }

    private void copyLog(Process started, CompletableFuture<Void> ready) {
        try (BufferedReader in = started.inputReader();
                Writer out = Files.newBufferedWriter(log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.append(line).append('\n').flush();
                keep(line);
                if (line.endsWith("ready")) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IOException("the broker ended before it was ready"));
            dismissWatcher(started);
        } catch (IOException failure) {
            ready.completeExceptionally(failure);
        }
    }

    private static void dismissWatcher(Process started) {
        try (OutputStream pipe = started.onExit().join().getOutputStream()) {
            pipe.write('\n');
        } catch (IOException gone) {
            // by itself
        }
    }

    private void keep(String line) {
        synchronized (tail) {
            tail.addLast(line);
            if (tail.size() > KEPT_LINES) {
                tail.removeFirst();
            }
        }
    }

    private void signal(String signal) {
        if (run(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid())) != 0) {
            throw new IllegalStateException("kill -" + signal + " failed");
        }
    }

    /** Runs a tool, for some seconds at most; gives its exit code. */
    private static int run(ProcessBuilder tool) {
        try {
            Process process = tool.start();
            if (!process.waitFor(TOOL_LIMIT_SECONDS, SECONDS)) {
                process.destroyForcibly();
                return -1;
            }
            return process.exitValue();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Kills it and what it started: a JVM that writes an AOT cache has a child that does. */
    private void destroy() {
        Process current = process;
        if (current == null) {
            return;
        }
        List<ProcessHandle> children = current.descendants().toList();
        current.toHandle().destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        try {
            current.onExit().get(TOOL_LIMIT_SECONDS, SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // it ends by itself
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException("process " + current.pid() + " was killed and is there", failure);
        }
    }

    private Process running() {
        Process current = process;
        if (current == null) {
            throw new IllegalStateException("never started");
        }
        return current;
    }
}
