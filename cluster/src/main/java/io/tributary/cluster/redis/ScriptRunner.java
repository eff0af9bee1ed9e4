package io.tributary.cluster.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisAdvancedClusterAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Calls scripts by their digest, and with their text where Redis does not know them (any more); counts calls and tells
 * failures apart. Nothing blocks but {@link #close}.
 */
final class ScriptRunner implements AutoCloseable {
    private final RedisAdvancedClusterAsyncCommands<byte[], byte[]> commands;
    private final RedisRecorder recorder;
    private final Duration closeLimit;

    // Guarded by this.
    private int running;
    private boolean closed;

    ScriptRunner(RedisCluster cluster, RedisRecorder recorder) {
        this.commands = cluster.connection().async();
        this.recorder = recorder;
        this.closeLimit = cluster.config().commandTimeout().multipliedBy(2);
    }

    /**
     * Runs a script on the primary that has its keys.
     *
     * @return what it returns, on a thread of the client library; fails with
     *     {@link io.tributary.persistence.shard.FencedException} or {@link RedisStoreException}
     */
    CompletionStage<List<Object>> run(ScriptCall call) {
        if (!begin()) {
            return CompletableFuture.failedFuture(new RedisStoreException("the store is closed"));
        }
        long begunNanos = System.nanoTime();
        CompletableFuture<List<Object>> result = new CompletableFuture<>();
        send(call).whenComplete((reply, failure) -> {
            try {
                complete(call, begunNanos, result, reply, failure);
            } finally {
                end();
            }
        });
        return result;
    }

    private CompletionStage<List<Object>> send(ScriptCall call) {
        try {
            return commands.<List<Object>>evalsha(
                            call.script().digest(), ScriptOutputType.MULTI, call.keys(), call.arguments())
                    .exceptionallyCompose(failure -> failure instanceof RedisNoScriptException
                            ? sendText(call)
                            : CompletableFuture.failedFuture(failure));
        } catch (RuntimeException e) { // full or closed, found out before anything was sent
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<List<Object>> sendText(ScriptCall call) {
        return commands.eval(call.script().text(), ScriptOutputType.MULTI, call.keys(), call.arguments());
    }

    private void complete(
            ScriptCall call,
            long begunNanos,
            CompletableFuture<List<Object>> result,
            @Nullable List<Object> reply,
            @Nullable Throwable thrown) {
        if (reply != null) {
            recorder.onCall(call.script().operation(), System.nanoTime() - begunNanos, call.bytes(), bytesOf(reply));
            result.complete(reply);
        } else {
            CallFailure failure = CallFailure.of(call, thrown == null ? new RedisException("no reply") : thrown);
            recorder.onFailure(call.script().operation(), failure.kind());
            result.completeExceptionally(failure.exception());
        }
    }

    private static long bytesOf(List<Object> reply) {
        long bytes = 0;
        for (Object part : reply) {
            bytes += part instanceof byte[] array ? array.length : Long.BYTES;
        }
        return bytes;
    }

    private synchronized boolean begin() {
        if (!closed) {
            running++;
        }
        return !closed;
    }

    private synchronized void end() {
        running--;
        notifyAll();
    }

    /** Refuses further calls and waits for those on their way, which end within their time. */
    @Override
    public synchronized void close() {
        closed = true;
        long deadline = System.nanoTime() + closeLimit.toNanos();
        try {
            while (running > 0 && deadline - System.nanoTime() > 0) {
                wait(1 + (deadline - System.nanoTime()) / 1_000_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
