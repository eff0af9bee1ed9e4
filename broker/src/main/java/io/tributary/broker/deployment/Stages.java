package io.tributary.broker.deployment;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waiting for the stages of a start or a stop. */
public final class Stages {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private Stages() {}

    /** Waits for a stage; what it failed with is thrown. */
    public static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture()
                    .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
