package io.tributary.perf.target;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs of this machine. */
final class Programs {
    private Programs() {}

    /** Where a program is, if it is on the PATH, where Debian has servers, or in one of these directories. */
    static Optional<Path> find(String name, Path... directories) {
        Stream<Path> onPath = Arrays.stream(
                        System.getenv().getOrDefault("PATH", "").split(":", -1))
                .map(Path::of);
        Stream<Path> usual = Stream.of(Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/usr/local/go/bin"));
        return Stream.of(Arrays.stream(directories), onPath, usual)
                .flatMap(places -> places)
                .map(directory -> directory.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** What a program prints, its errors too; the first line that is not empty. */
    static String output(String... command) {
        return run(List.of(command), Map.of())
                .lines()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse("unknown");
    }

    /**
     * Runs a program to its end; answers all that it prints.
     *
     * @throws TargetException if it cannot be run
     */
    static String run(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            // Some print their version and call it an error.
            if (code != 0 && output.isBlank()) {
                throw new TargetException(String.join(" ", command) + " ended with " + code);
            }
            return output.strip();
        } catch (IOException e) {
            throw new TargetException(command.getFirst() + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TargetException("interrupted", e);
        }
    }
}
