package io.tributary.perf.command;

import io.tributary.cli.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which processes run the clients of {@code perf run}. */
final class RunnerOptions {
    @Option(
            names = "--runners",
            paramLabel = "N",
            description = "The clients are in N processes: on this machine, or with --listen wherever they come from.")
    private @Nullable Integer count;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Wait there for the runners instead of starting them.")
    private @Nullable String listen;

    @Option(names = "--secret-file", paramLabel = "FILE", description = "What runners from elsewhere prove to know.")
    private @Nullable Path secretFile;

    /** Whether there are any: without these options the clients are in this process. */
    boolean areWanted() {
        return count != null || listen != null;
    }

    /** How many; at least 1. */
    int count() {
        if (count == null) {
            return 1;
        }
        if (count < 1) {
            throw new UsageException("--runners needs a number of 1 or more, not " + count);
        }
        return count;
    }

    /** Where runners from elsewhere come to; null where they are started here. */
    @Nullable
    String listen() {
        return listen;
    }

    Path secretFile() {
        if (secretFile == null) {
            throw new UsageException("--listen needs --secret-file, which runners have too");
        }
        return secretFile;
    }
}
