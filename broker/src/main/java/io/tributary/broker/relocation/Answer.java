package io.tributary.broker.relocation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The answer to an operator, which is given when what was asked for has been done and noted. */
final class Answer {
    private Answer() {}

    /**
     * Has a thread do what was asked for.
     *
     * @param deed ends in what {@link Journal#note} gives
     * @return how things are then; fails with what the deed throws
     */
    static <S> CompletionStage<S> after(Supplier<CompletionStage<?>> deed, Executor thread, Supplier<S> status) {
        return CompletableFuture.supplyAsync(deed, thread).thenCompose(noted -> noted.thenApply(_ -> status.get()));
    }
}
