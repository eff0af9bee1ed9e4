package io.tributary.localcluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The servers of one kind, numbered from 1 as in their names, which a caller can stop, kill, pause and start again,
 * each on its own. Their data stays in their directory. All methods block until it is done; thread-safe.
 */
public abstract sealed class LocalServers implements AutoCloseable permits LocalKafka, LocalNodes, LocalRedis {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(15);

    private final List<ServerProcess> servers;
    private final List<Integer> ports;
    private Runnable launched = () -> {};

    LocalServers(List<ServerProcess> servers, List<Integer> ports) {
        this.servers = List.copyOf(servers);
        this.ports = List.copyOf(ports);
    }

    /** Waits until server {@code i} takes commands; it was started before. */
    abstract void awaitReady(int i);

    /** Before server {@code i} starts: makes what it needs in its directory. */
    abstract void prepare(int i);

    /** Starts all servers, of which none runs, and waits until all take part. */
    void start() {
        launchAll();
        awaitAllReady();
    }

    /** Starts all servers, or leaves none running. */
    final void startAllOrNone() {
        try {
            start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    final void launchAll() {
        for (int i = 1; i <= size(); i++) {
            launch(i);
        }
    }

    final void awaitAllReady() {
        for (int i = 1; i <= size(); i++) {
            awaitReady(i);
        }
    }

    private void launch(int i) {
        prepare(i);
        process(i).start();
        launched.run();
    }

    /** Has this run whenever a process was started, before it is ready. */
    final void onLaunch(Runnable action) {
        launched = action;
    }

    /** Starts server {@code i}, which must not run, and waits until it takes part again. */
    public final void restart(int i) {
        launch(i);
        awaitReady(i);
    }

    /** The same for all, of which none runs: some of them only take part with others. */
    public final void restartAll() {
        launchAll();
        awaitAllReady();
    }

    /** Ends server {@code i} in order (SIGTERM), within 15 seconds, then by SIGKILL. */
    public final void stop(int i) {
        process(i).stop(STOP_LIMIT);
    }

    /** Ends server {@code i} at once (SIGKILL). */
    public final void kill(int i) {
        process(i).kill();
    }

    /** Makes server {@code i} stand still (SIGSTOP). */
    public final void pause(int i) {
        process(i).pause();
    }

    /** Lets server {@code i} go on after {@link #pause}. */
    public final void resume(int i) {
        process(i).resume();
    }

    /** Whether the process of server {@code i} is there. */
    public final boolean isRunning(int i) {
        return process(i).isRunning();
    }

    /** How many servers there are, running or not. */
    public final int size() {
        return servers.size();
    }

    /** The port on which server {@code i} takes clients. */
    public final int port(int i) {
        process(i);
        return ports.get(i - 1);
    }

    /** The ports on which the servers take clients, in their order. */
    public final List<Integer> ports() {
        return ports;
    }

    /** The process identifier of server {@code i}, which runs. */
    public final long pid(int i) {
        return process(i).pid();
    }

    /** The log of server {@code i}, over all its starts. */
    public final Path log(int i) {
        return process(i).log();
    }

    /** The addresses of all servers as {@code host:port}, separated by commas, as clients want them. */
    public final String addresses() {
        return String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList());
    }

    /** Ends all servers in order; those that take long, by SIGKILL. */
    public final void stop() {
        // All at once: a server that goes down in order may wait for another.
        List<Thread> stopping = servers.stream()
                .map(server -> Thread.ofPlatform().start(() -> server.stop(STOP_LIMIT)))
                .toList();
        for (Thread thread : stopping) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends all servers at once (SIGKILL): tests throw their data away. */
    @Override
    public final void close() {
        servers.forEach(ServerProcess::kill);
    }

    /** The processes, in their order. */
    final List<ServerProcess> processes() {
        return servers;
    }

    final ServerProcess process(int i) {
        if (i < 1 || i > servers.size()) {
            throw new IllegalArgumentException("there are servers 1 to " + servers.size() + ", not " + i);
        }
        return servers.get(i - 1);
    }
}
