package io.tributary.cluster.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps what it is told. */
final class CountingRecorder implements RedisRecorder {
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong sentBytes = new AtomicLong();
    private final AtomicLong receivedBytes = new AtomicLong();
    private final List<Failure> failures = new CopyOnWriteArrayList<>();
    private final List<Integer> waitingReads = Collections.synchronizedList(new ArrayList<>());

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

    @Override
    public void onWaitingReads(int count) {
        waitingReads.add(count);
    }

    List<Integer> waitingReads() {
        return waitingReads;
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
