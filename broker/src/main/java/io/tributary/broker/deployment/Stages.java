package io.tributary.broker.deployment;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waiting for the stages of a start or a stop. */
public final class Stages {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private Stages() {}

    /** Waits for a stage, ten minutes at most; what it failed with is thrown. */
    public static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
        return await(stage, LIMIT);
    }

    /** The same with another limit. */
    public static <T extends @Nullable Object> T await(CompletionStage<T> stage, Duration limit) {
        try {
            return join(stage.toCompletableFuture().orTimeout(limit.toSeconds(), TimeUnit.SECONDS));
        } catch (CompletionException e) {
            throw e.getCause() instanceof TimeoutException
                    ? new IllegalStateException("it took longer than " + limit.toSeconds() + " s", e)
                    : e;
        }
    }

    /**
     * Waits for a stage, however long that takes.
     *
     * @param givenUp fails when it is not to be waited for any more; never completes otherwise
     */
    public static void await(CompletionStage<?> stage, CompletableFuture<?> givenUp) {
        Object _ = join(CompletableFuture.anyOf(stage.toCompletableFuture(), givenUp));
    }

    private static <T extends @Nullable Object> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
