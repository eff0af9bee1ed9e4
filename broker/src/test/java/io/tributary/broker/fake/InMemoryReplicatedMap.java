package io.tributary.broker.fake;

import io.tributary.persistence.replicated.ReplicatedMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A replicated map in memory. Writes are done at once, or, after {@link #hold}, when the test says so; entries outlive
 * {@link #reopen}, which stands for a restart.
 */
public final class InMemoryReplicatedMap implements ReplicatedMap {
    private final Map<String, byte[]> entries;
    private final List<String> written = new ArrayList<>();
    private final Queue<Runnable> held = new ArrayDeque<>();
    private @Nullable Follower follower;
    private @Nullable RuntimeException failure;
    private boolean holding;
    private long writtenBytes;

    /** Creates an empty one. */
    public InMemoryReplicatedMap() {
        this(new LinkedHashMap<>());
    }

    private InMemoryReplicatedMap(Map<String, byte[]> entries) {
        this.entries = entries;
    }

    /** The same entries without a follower. */
    public synchronized InMemoryReplicatedMap reopen() {
        return new InMemoryReplicatedMap(new LinkedHashMap<>(entries));
    }

    @Override
    public synchronized CompletionStage<@Nullable Void> follow(Follower newFollower) {
        follower = newFollower;
        entries.forEach(newFollower::onChange);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<@Nullable Void> caughtUp() {
        return CompletableFuture.completedStage(null); // the follower sees each write at once
    }

    @Override
    public synchronized CompletionStage<@Nullable Void> put(String key, byte[] value) {
        writtenBytes += value.length;
        return write(key, value);
    }

    @Override
    public CompletionStage<@Nullable Void> remove(String key) {
        return write(key, null);
    }

    /** Makes writes wait from now on. */
    public synchronized void hold() {
        holding = true;
    }

    /** Does the oldest write that waits. */
    public void releaseOne() {
        Runnable write;
        synchronized (this) {
            write = held.remove();
        }
        write.run();
    }

    /** Does all writes that wait, and those that come of it, and makes none wait any more. */
    public synchronized void release() {
        holding = false;
        while (!held.isEmpty()) {
            held.remove().run();
        }
    }

    /** Makes all writes fail from now on, or none any more. */
    public synchronized void failWith(@Nullable RuntimeException newFailure) {
        failure = newFailure;
    }

    /** Changes an entry as another node would. */
    public synchronized void changeFromElsewhere(String key, byte @Nullable [] value) {
        apply(key, value);
    }

    /** The keys of all writes so far, in order, also of those that wait. */
    public synchronized List<String> written() {
        return List.copyOf(written);
    }

    /** How many bytes were put so far. */
    public synchronized long writtenBytes() {
        return writtenBytes;
    }

    /** What is stored under a key. */
    public synchronized byte @Nullable [] get(String key) {
        return entries.get(key);
    }

    /** How many entries are stored. */
    public synchronized int size() {
        return entries.size();
    }

    @Override
    public void close() {}

    private synchronized CompletionStage<@Nullable Void> write(String key, byte @Nullable [] value) {
        written.add(key);
        if (failure != null) {
            return CompletableFuture.failedStage(failure);
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable write = () -> {
            apply(key, value);
            done.complete(null);
        };
        if (holding) {
            held.add(write);
        } else {
            write.run();
        }
        return done;
    }

    private synchronized void apply(String key, byte @Nullable [] value) {
        if (value == null) {
            entries.remove(key);
        } else {
            entries.put(key, value);
        }
        if (follower != null) {
            follower.onChange(key, value);
        }
    }
}
