package io.tributary.localcluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tributary.cli.Program;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The command as a caller sees it, on a directory of its own; in place of broker nodes there are scripts that say
 * {@code ready} and wait.
 */
abstract class CommandOnADirectory {
    private static final String NODE = "echo \"$@\"; echo ready; while :; do sleep 1; done";

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path directory;

    int basePort;
    private Path launcher;

    @BeforeEach
    void prepare() throws IOException {
        launcher = directory.resolve("launcher");
        setLauncher(NODE);
        do {
            basePort = Ports.free(1).getFirst();
        } while (!Ports.range(basePort, ClusterLayout.SPAN).stream().allMatch(Ports::isFree));
    }

    final void setLauncher(String script) throws IOException {
        Files.writeString(launcher, "#!/bin/sh\n" + script + "\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
    }

    @AfterEach
    void endAll() {
        run("down");
    }

    final int redisPort() {
        return basePort + 50;
    }

    final int up(String... options) {
        List<String> words = new ArrayList<>(List.of("up", "--base-port", Integer.toString(basePort)));
        words.addAll(Arrays.asList(options));
        return run(words.toArray(String[]::new));
    }

    final void expectDone(String... words) {
        int code = run(words);
        assertThat(code).as(errors()).isZero();
    }

    final int run(String... words) {
        CommandLine line = Program.commandLine(new ClusterCommand(() -> launcher, Lifetime.BOUND));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(List.of(words));
        if (words.length > 0 && !all.contains("--dir")) {
            all.addAll(List.of("--dir", directory.toString()));
        }
        return line.execute(all.toArray(String[]::new));
    }

    final String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    final Map<String, String> states() throws IOException {
        out.reset();
        assertThat(run("status", "--json")).isZero();
        Map<String, String> states = new TreeMap<>();
        JsonNode status = new ObjectMapper().readTree(out.toByteArray());
        assertThat(status.get("bootstrapServers").asText()).isEqualTo("127.0.0.1:" + (basePort + 40));
        for (JsonNode process : status.get("processes")) {
            boolean running = process.get("state").asText().equals("running");
            assertThat(process.get("pid").asLong() > 0).isEqualTo(running);
            states.put(process.get("name").asText(), process.get("state").asText());
        }
        return states;
    }

    static Map<String, String> states(String state, String... names) {
        Map<String, String> states = new TreeMap<>();
        Arrays.stream(names).forEach(name -> states.put(name, state));
        return states;
    }
}
