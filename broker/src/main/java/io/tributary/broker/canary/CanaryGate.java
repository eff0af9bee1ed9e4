package io.tributary.broker.canary;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a broker from being ready for the first time until so many rounds of its canary were good. Once it is open it
 * never closes, whatever later rounds bring and however often the broker begins anew. Thread-safe.
 */
public final class CanaryGate {
    private final int needed;
    private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
    private long good;
    private String last = "the first is on its way";

    /** Creates one that is closed, unless there is no canary, or no round is needed. */
    public CanaryGate(CanaryConfig config) {
        needed = config.isOff() ? 0 : config.roundsBeforeReady();
        completeIfOpen();
    }

    /** Completes when it opens. */
    public CompletionStage<@Nullable Void> opened() {
        return opened.minimalCompletionStage();
    }

    /** Whether the broker may be ready. */
    public synchronized boolean isOpen() {
        return good >= needed;
    }

    /** What the broker waits for, in words; null for nothing. */
    public synchronized @Nullable String waitsFor() {
        return isOpen() ? null : "canary: %d of %d rounds: %s".formatted(good, needed, last);
    }

    /** A round was good; tells whether that opened the gate. */
    boolean good() {
        synchronized (this) {
            good++;
            last = "the next is on its way";
        }
        return completeIfOpen();
    }

    /** A round was not good, for that reason; those before it still count. */
    synchronized void bad(String why) {
        last = why;
    }

    /** There can be no rounds; tells whether that opened the gate. */
    boolean open() {
        synchronized (this) {
            good = needed;
        }
        return completeIfOpen();
    }

    private boolean completeIfOpen() {
        return isOpen() && opened.complete(null);
    }
}
