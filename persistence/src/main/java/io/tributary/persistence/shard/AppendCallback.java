package io.tributary.persistence.shard;

import org.jspecify.annotations.Nullable;

/** Told once the outcome of an append. Called on a thread of the log: it must not block. */
@FunctionalInterface
public interface AppendCallback {
    /**
     * The append is durable, or will never be.
     *
     * @param offset the record's offset, or -1 when it failed
     * @param failure why it failed, which happens only when the log is closed or broken for good, or when the record is
     *     larger than the log takes, which concerns this record alone; null on success
     */
    void onAppended(long offset, @Nullable Throwable failure);
}
