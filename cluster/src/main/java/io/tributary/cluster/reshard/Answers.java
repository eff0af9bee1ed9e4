package io.tributary.cluster.reshard;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waiting for Redis and Kafka, which nothing else has to do here. */
final class Answers {
    /** How long an answer may take. */
    static final long LIMIT_SECONDS = 120;

    private Answers() {}

    /**
     * The answer of a store or a log.
     *
     * @throws RuntimeException that with which it failed
     */
    static <T> T of(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new ReshardException("it failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw late(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits for what has no answer. */
    static void awaitEnd(CompletionStage<@Nullable Void> stage) {
        boolean _ = of(stage.thenApply(_ -> true));
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    static ReshardException late(@Nullable Exception cause) {
        return new ReshardException("there was no answer within " + LIMIT_SECONDS + " s", cause);
    }

    static ReshardException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new ReshardException("it was interrupted", cause);
    }
}
