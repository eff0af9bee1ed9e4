package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.blackbox.StartCache;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A program in a JVM of its own. */
final class ChildProcess implements AutoCloseable {
    private static final int LIMIT_MINUTES = 5;

    private final Process process;
    private final BufferedReader output;

    /** Starts the main class with arguments, standard error joined to standard output. */
    ChildProcess(Class<?> main, String... arguments) throws IOException {
        this(List.of(), StartCache.options(), main, arguments);
    }

    private ChildProcess(List<String> before, List<String> classPath, Class<?> main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(classPath);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        // Whoever waits for a line that does not come is told that there are no more.
        CompletableFuture.delayedExecutor(LIMIT_MINUTES, TimeUnit.MINUTES).execute(process::destroyForcibly);
        output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts it where no more files may be open at once; without a cache, with which jars are opened later. */
    static ChildProcess withOpenFiles(int limit, Class<?> main, String... arguments) throws IOException {
        return new ChildProcess(
                List.of("sh", "-c", "ulimit -n " + limit + "; exec \"$@\"", "sh"),
                List.of("-cp", System.getProperty("java.class.path")),
                main,
                arguments);
    }

    /** What it prints up to the line {@code ready}, that line included. */
    List<String> linesUntilReady() throws IOException {
        List<String> lines = new ArrayList<>();
        String line;
        while ((line = output.readLine()) != null) {
            lines.add(line);
            if (line.equals("ready")) {
                return lines;
            }
        }
        throw new AssertionError("ended before it was ready:\n" + String.join("\n", lines));
    }

    /** Waits until a line has some text in it. */
    void awaitLine(String text) throws IOException {
        String line;
        do {
            line = output.readLine();
            assertThat(line).as("a line with '%s'", text).isNotNull();
        } while (!line.contains(text));
    }

    /** Sends a signal, such as {@code TERM}. */
    void signal(String name) throws Exception {
        int sent = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        assertThat(sent).isZero();
    }

    /** What else it prints until it ends. */
    String rest() {
        return output.lines().collect(Collectors.joining("\n"));
    }

    long pid() {
        return process.pid();
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
