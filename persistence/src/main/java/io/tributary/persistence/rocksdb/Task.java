package io.tributary.persistence.rocksdb;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.rocksdb.WriteBatch;

/**
 * Something to do on the writer thread that writes nothing.
 *
 * @param action the task itself, run before the commit of the group
 * @param done completed after the commit of the group, when all that was submitted before is durable
 */
record Task(Runnable action, CompletableFuture<@Nullable Void> done) implements Write {

    Task(Runnable action) {
        this(action, new CompletableFuture<>());
    }

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) {
        action.run();
    }

    @Override
    public void committed() {
        done.complete(null);
    }

    @Override
    public void failed(RuntimeException reason) {
        done.completeExceptionally(reason);
    }
}
