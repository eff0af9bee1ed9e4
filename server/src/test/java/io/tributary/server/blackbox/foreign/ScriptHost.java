package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.broker.blackbox.Scratch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A process of another language that runs clients for us: one JSON object a line in, one a line out. A request has a
 * number, and its answer has the same; an event has the name of a client. It ends when its input does, and so with this
 * JVM.
 */
final class ScriptHost {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String MQTT_JS = "mqtt@5.15.0";
    private static final String PAHO_PYTHON = "paho-mqtt==2.1.0";
    private static final int INSTALL_LIMIT_SECONDS = 100;
    private static final Map<String, ScriptHost> STARTED = new ConcurrentHashMap<>();

    private final Process process;
    private final Writer out;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> requests = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonNode>> clients = new ConcurrentHashMap<>();

    private ScriptHost(Process process) {
        this.process = process;
        out = process.outputWriter(UTF_8);
        Thread.ofPlatform().daemon().name("script-host").start(this::read);
    }

    /** The one with mqtt.js; the test is skipped where there is no npm. */
    static ScriptHost javaScript() {
        return STARTED.computeIfAbsent("mqtt.js", name -> {
            require("node", "--version");
            require("npm", "--version");
            Path folder = Scratch.kept("node");
            install(
                    folder,
                    folder.resolve("node_modules/mqtt"),
                    List.of(
                            "npm",
                            "install",
                            "--prefix",
                            folder.toString(),
                            "--no-audit",
                            "--no-fund",
                            "--loglevel=error",
                            MQTT_JS));
            return start(folder, "foreign-client.cjs", "node");
        });
    }

    /** The one with paho-mqtt; the test is skipped where there is no Python with pip. */
    static ScriptHost python() {
        return STARTED.computeIfAbsent("paho", name -> {
            require("python3", "-m", "pip", "--version");
            Path folder = Scratch.kept("python");
            install(
                    folder,
                    folder.resolve("paho"),
                    List.of("python3", "-m", "pip", "install", "--quiet", "--target", folder.toString(), PAHO_PYTHON));
            return start(folder, "foreign_client.py", "python3", "-u");
        });
    }

    /** Makes a name known, whose events are handed over from now on. */
    void register(String client, Consumer<JsonNode> events) {
        clients.put(client, events);
    }

    void forget(String client) {
        clients.remove(client);
    }

    /** Asks for something; the answer has what the script gives, and a failure fails. */
    CompletableFuture<JsonNode> ask(Map<String, ?> request) throws IOException {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        tell(request, answer);
        return answer;
    }

    /** Asks for something whose answer nobody waits for. */
    void tell(Map<String, ?> request) throws IOException {
        tell(request, new CompletableFuture<>());
    }

    private void tell(Map<String, ?> request, CompletableFuture<JsonNode> answer) throws IOException {
        long number = numbers.incrementAndGet();
        requests.put(number, answer);
        Map<String, Object> line = new LinkedHashMap<>(request);
        line.put("number", number);
        synchronized (out) {
            out.write(JSON.writeValueAsString(line));
            out.write('\n');
            out.flush();
        }
    }

    private void read() {
        try (BufferedReader in = process.inputReader(UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                handle(JSON.readTree(line));
            }
        } catch (IOException ended) {
            // the pending requests are told below
        }
        IOException gone = new IOException("the script ended");
        requests.values().forEach(request -> request.completeExceptionally(gone));
    }

    private void handle(JsonNode line) {
        if (line.has("number")) {
            CompletableFuture<JsonNode> request =
                    Objects.requireNonNull(requests.remove(line.get("number").asLong()));
            JsonNode error = line.get("error");
            if (error == null) {
                request.complete(line);
            } else {
                request.completeExceptionally(new IOException(error.asString()));
            }
            return;
        }
        Consumer<JsonNode> client = clients.get(line.get("client").asString());
        if (client != null) {
            client.accept(line);
        }
    }

    private static ScriptHost start(Path folder, String script, String... command) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.command().add(copy(folder, script).toString());
            builder.redirectError(folder.resolve("errors.log").toFile());
            return new ScriptHost(builder.start());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A copy of one of the tests' scripts, in a file of its own. */
    static Path copy(Path folder, String script) throws IOException {
        Path copy = Files.createTempFile(folder, "", script);
        try (@Nullable InputStream source = ScriptHost.class.getResourceAsStream("/blackbox/" + script)) {
            Files.copy(Objects.requireNonNull(source, script), copy, StandardCopyOption.REPLACE_EXISTING);
        }
        return copy;
    }

    /** Once, though several JVMs may be about to. */
    private static void install(Path folder, Path installed, List<String> command) {
        try (FileChannel file = FileChannel.open(folder.resolve("install.lock"), CREATE, WRITE);
                FileLock _ = file.lock()) {
            if (!Files.exists(installed) && run(command, folder.resolve("install.log")) != 0) {
                throw new IllegalStateException("failed: " + String.join(" ", command));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Skips the test where a command does not succeed. */
    static void require(String... command) {
        Path log = Scratch.kept("tools").resolve(command[0] + ".log");
        assumeTrue(run(List.of(command), log) == 0, () -> "not on this machine: " + String.join(" ", command));
    }

    private static int run(List<String> command, Path log) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            process.getOutputStream().close();
            if (process.waitFor(INSTALL_LIMIT_SECONDS, SECONDS)) {
                return process.exitValue();
            }
            process.destroyForcibly();
            return -1;
        } catch (IOException absent) {
            return -1;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
