package io.tributary.server.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operator who calls the program's commands about running brokers, each in a JVM of its own.
 *
 * @param tokenFile the file with the administrators' token
 * @param installation whose commands these are; null for the class path of the tests
 */
public record Operator(Path tokenFile, @Nullable Installation installation) {

    /** With the commands of the class path of the tests. */
    public Operator(Path tokenFile) {
        this(tokenFile, null);
    }

    /** What a command came to: its exit code, and all that it printed. */
    public record Outcome(int exit, String printed) {}

    /** Empties a node, which must be named; returns when the command does. */
    public Outcome drain(BrokerProcess broker, String... words) {
        return run("drain", broker, words);
    }

    /** Spreads connections. */
    public Outcome rebalance(BrokerProcess broker, String... words) {
        return run("rebalance", broker, words);
    }

    /** Empties the broker of this machine, which the command finds by the broker's own environment variables. */
    public Outcome drainHere(BrokerProcess broker, String... words) {
        Map<String, String> environment = Map.of(
                "SERVER_PORT",
                Integer.toString(broker.httpPort()),
                "TRIBUTARY_SECURITY_ADMIN_TOKEN_FILE",
                tokenFile.toString());
        return run("drain", environment, List.of(words));
    }

    /** Asks which formats the cluster writes, or finishes its upgrade. */
    public Outcome upgrade(BrokerProcess broker, String word) {
        return run("upgrade", Map.of(), List.of(word, url(broker), "--token-file=" + tokenFile));
    }

    /** Lists, shows or ends sessions. */
    public Outcome session(BrokerProcess broker, String command, String... words) {
        List<String> all = new ArrayList<>(List.of(command, url(broker), "--token-file=" + tokenFile));
        all.addAll(List.of(words));
        return run("session", Map.of(), all);
    }

    private Outcome run(String name, BrokerProcess broker, String... words) {
        List<String> all = new ArrayList<>(List.of(url(broker), "--token-file=" + tokenFile));
        all.addAll(List.of(words));
        return run(name, Map.of(), all);
    }

    private static String url(BrokerProcess broker) {
        return "--url=http://127.0.0.1:" + broker.httpPort();
    }

    private Outcome run(String name, Map<String, String> environment, List<String> words) {
        List<String> command = new ArrayList<>(installation == null ? ofClassPath(name) : installation.command(name));
        command.addAll(words);
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Outcome(process.waitFor(), printed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static List<String> ofClassPath(String name) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "io.tributary.server." + Character.toUpperCase(name.charAt(0)) + name.substring(1) + "Command");
    }
}
