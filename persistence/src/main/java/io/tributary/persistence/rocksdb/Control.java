package io.tributary.persistence.rocksdb;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * A change on the writer thread that somebody waits for.
 *
 * @param done completed when it is durable
 */
record Control(Staging staging, CompletableFuture<@Nullable Void> done) implements Write {

    /** What is changed. */
    @FunctionalInterface
    interface Staging {
        /** See {@link Write#stage}. */
        void stage(WriteBatch batch) throws RocksDBException;
    }

    @Override
    public int bytes() {
        return 0;
    }

    @Override
    public void stage(WriteBatch batch) throws RocksDBException {
        staging.stage(batch);
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
