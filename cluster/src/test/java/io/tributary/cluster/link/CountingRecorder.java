package io.tributary.cluster.link;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts for tests. */
final class CountingRecorder implements LinkRecorder {
    final AtomicInteger up = new AtomicInteger();
    final AtomicInteger down = new AtomicInteger();
    final AtomicLong sentFrames = new AtomicLong();
    final AtomicLong sentBytes = new AtomicLong();
    final AtomicLong receivedFrames = new AtomicLong();
    final AtomicLong receivedBytes = new AtomicLong();
    final AtomicInteger sendRefused = new AtomicInteger();
    final AtomicInteger reconnecting = new AtomicInteger();
    final AtomicInteger silent = new AtomicInteger();
    final AtomicInteger stalled = new AtomicInteger();
    private final Map<Refusal, Integer> refused = new ConcurrentHashMap<>();

    int refusedFor(Refusal why) {
        return refused.getOrDefault(why, 0);
    }

    @Override
    public void up() {
        up.incrementAndGet();
    }

    @Override
    public void down() {
        down.incrementAndGet();
    }

    @Override
    public void sent(int frames, long bytes) {
        sentFrames.addAndGet(frames);
        sentBytes.addAndGet(bytes);
    }

    @Override
    public void received(int frames, long bytes) {
        receivedFrames.addAndGet(frames);
        receivedBytes.addAndGet(bytes);
    }

    @Override
    public void sendRefused() {
        sendRefused.incrementAndGet();
    }

    @Override
    public void refused(Refusal why) {
        refused.merge(why, 1, Integer::sum);
    }

    @Override
    public void reconnecting() {
        reconnecting.incrementAndGet();
    }

    @Override
    public void silent() {
        silent.incrementAndGet();
    }

    @Override
    public void stalled() {
        stalled.incrementAndGet();
    }
}
