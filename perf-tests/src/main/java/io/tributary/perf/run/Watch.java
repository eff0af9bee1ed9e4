package io.tributary.perf.run;

import io.tributary.perf.client.Crew;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.machine.Usage;
import io.tributary.perf.result.Sample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks at a run once a second, from a thread of its own. Of a long run it keeps every second sample, then every
 * fourth, and so on, so that there are never many. What nodes count they are asked for more seldom while they have few
 * messages, for the answer costs them some 20 ms of processor time.
 */
final class Watch implements AutoCloseable {
    private static final int MOST_SAMPLES = 1_200;
    private static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** So many messages in queues are more than what is on its way. */
    private static final long MUCH = 1_000;

    private static final double NANOS = 1e9;
    private static final double MEGABYTE = 1 << 20;

    private final Crew crew;
    private final Watched watched;
    private final Consumer<Sample> listener;
    private final long started = System.nanoTime();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("perf-watch").daemon().factory());
    private volatile String step = "";

    // Guarded by this.
    private final List<Sample> samples = new ArrayList<>();
    private int keepEvery = 1;
    private int taken;

    // Of the timer's thread.
    private Counts lastCounts = Counts.NONE;
    private Map<String, Usage> lastUsage = Map.of();
    private long lastNanos = started;
    private Map<String, Long> lastCounted = Map.of();
    private long countNanos = started;

    /** Begins. */
    Watch(Crew crew, Watched watched, Consumer<Sample> listener) {
        this.crew = crew;
        this.watched = watched;
        this.listener = listener;
        var _ = timer.scheduleAtFixedRate(this::sample, 0, 1, TimeUnit.SECONDS);
    }

    /** Another step begins. */
    void step(String name) {
        step = name;
    }

    /** What was seen. */
    synchronized List<Sample> samples() {
        return List.copyOf(samples);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    private void sample() {
        try {
            long now = System.nanoTime();
            Counts counts = crew.counts();
            Map<String, Usage> usage = watched.usage(crew.own());
            Sample sample = sample(now, counts, usage);
            lastCounts = counts;
            lastUsage = usage;
            lastNanos = now;
            keep(sample);
            listener.accept(sample);
        } catch (RuntimeException e) {
            if (!timer.isShutdown() && !(e instanceof RejectedExecutionException)) {
                String words = " (not observed: " + e.getMessage() + ")";
                step = step.endsWith(words) ? step : step + words;
            }
        }
    }

    private Sample sample(long now, Counts counts, Map<String, Usage> usage) {
        double seconds = Math.max(now - lastNanos, 1) / NANOS;
        Counts fresh = counts.minus(lastCounts);
        Map<String, Double> cores = new LinkedHashMap<>();
        Map<String, Double> megabytes = new LinkedHashMap<>();
        Map<String, Double> heap = new LinkedHashMap<>();
        Map<String, Integer> threads = new LinkedHashMap<>();
        Map<String, Integer> files = new LinkedHashMap<>();
        usage.forEach((name, use) -> {
            long cpu = use.cpuNanos() - lastUsage.getOrDefault(name, use).cpuNanos();
            cores.put(name, Math.max(0, cpu) / NANOS / seconds);
            megabytes.put(name, use.rssBytes() / MEGABYTE);
            if (use.heapBytes() > 0) {
                heap.put(name, use.heapBytes() / MEGABYTE);
            }
            if (use.threads() > 0) {
                threads.put(name, use.threads());
            }
            if (use.files() > 0) {
                files.put(name, use.files());
            }
        });
        return new Sample(
                (now - started) / NANOS,
                step,
                fresh.get(Count.SENT) / seconds,
                fresh.get(Count.RECEIVED) / seconds,
                counts.get(Count.CONNECTED),
                cores,
                megabytes,
                heap,
                threads,
                files,
                counted(now));
    }

    private Map<String, Long> counted(long now) {
        if (now - countNanos >= 0) {
            lastCounted = watched.counted();
            boolean isMuch = lastCounted.getOrDefault(Run.QUEUED, 0L) > MUCH;
            countNanos = isMuch ? now : now + COUNT_NANOS;
        }
        return lastCounted;
    }

    private synchronized void keep(Sample sample) {
        if (taken++ % keepEvery != 0) {
            return;
        }
        samples.add(sample);
        if (samples.size() > MOST_SAMPLES) {
            keepEvery *= 2;
            List<Sample> half = new ArrayList<>();
            for (int i = 0; i < samples.size(); i += 2) {
                half.add(samples.get(i));
            }
            samples.clear();
            samples.addAll(half);
        }
    }
}
