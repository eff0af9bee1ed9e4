package io.tributary.persistence.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps what it is told. */
final class CountingRecorder implements RedisRecorder {
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final List<Failure> failures = new CopyOnWriteArrayList<>();

    @Override
    public void onCall(Operation operation, long nanos, long sent, long received) {
        calls.incrementAndGet();
        sentBytes.addAndGet(sent);
        receivedBytes.addAndGet(received);
    }

    @Override
    public void onFailure(Operation operation, Failure failure) {
        failures.add(failure);
    }

    long calls() {
        return calls.get();
    }

    long sentBytes() {
        return sentBytes.get();
    }

    long receivedBytes() {
        return receivedBytes.get();
    }

    List<Failure> failures() {
        return failures;
    }
}
