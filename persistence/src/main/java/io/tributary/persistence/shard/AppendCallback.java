package io.tributary.persistence.shard;

import org.jspecify.annotations.Nullable;

/** Told once what became of an append. Called on a thread of the log: it must not block. */
@FunctionalInterface
public interface AppendCallback {
    /**
     * The append is durable, or will never be.
     *
     * @param offset the record's offset, or -1 when it failed
     * @param failure why it failed, which happens only when the log is closed or broken for good; null on success
     */
    void onAppended(long offset, @Nullable Throwable failure);
}
