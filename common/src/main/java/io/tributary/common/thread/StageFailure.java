package io.tributary.common.thread;

import java.util.concurrent.CompletionException;

/** What a {@link java.util.concurrent.CompletionStage} failed with. */
public final class StageFailure {
    private StageFailure() {}

    /** Why a stage failed, without what stages put around it; where that is nothing, the failure itself. */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
