package io.tributary.localcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs programs that do one thing and end. */
final class Commands {
    private static final int LIMIT_SECONDS = 60;

    private Commands() {}

    /** Runs a program, without input; answers what it printed. */
    static String run(List<String> command) {
        return run(command, Map.of());
    }

    /**
     * Runs a program with more in its environment, without input; answers what it printed, errors too.
     *
     * @throws LocalClusterException if there is no such program, or it fails, or takes longer than a minute
     */
    static String run(List<String> command, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> outputOf(process));
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new LocalClusterException(describe(command) + " did not end within " + LIMIT_SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw new LocalClusterException(
                        describe(command) + " ended with " + process.exitValue() + ": " + output.join());
            }
            return output.join();
        } catch (IOException e) {
            throw new LocalClusterException(describe(command) + " could not be run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LocalClusterException("interrupted while " + describe(command) + " runs", e);
        }
    }

    private static String outputOf(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String describe(List<String> command) {
        return String.join(" ", command);
    }
}
