package io.tributary.persistence.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Waits in tests: by condition and with a bound. */
public final class Waiting {
    /** Long enough for any machine; a test that waits so long has failed. */
    public static final Duration LIMIT = Duration.ofSeconds(30);

    private Waiting() {}

    /** The value of a stage, once it is there. */
    public static <T extends @Nullable Object> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("the stage did not complete well", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Waits for a stage to fail, in the given way. */
    public static void assertFails(CompletionStage<?> stage, Class<? extends Throwable> how) {
        Throwable failure = catchThrowable(() -> stage.toCompletableFuture().get(LIMIT.toSeconds(), TimeUnit.SECONDS));
        assertThat(failure).isInstanceOf(ExecutionException.class).cause().isInstanceOf(how);
    }

    /** Stalls a thread that is not the test's own: until the test opens the latch, or has failed without opening it. */
    public static void stall(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("nobody opened the latch");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a condition. */
    public static void until(BooleanSupplier condition) {
        Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(2)).until(condition::getAsBoolean);
    }
}
