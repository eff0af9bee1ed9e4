package io.tributary.broker.tls;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks every ten seconds whether files have changed, on a thread of its own: a disk, or a server of files, may keep it
 * waiting. Any thread.
 */
public final class CertificateWatch implements AutoCloseable {
    /** How often files are read. */
    public static final Duration INTERVAL = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private final TlsRecorder recorder;
    private final List<WatchedFiles> watched = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService thread;

    /**
     * Begins to watch what it is given.
     *
     * @param recorder counts reloads
     */
    public CertificateWatch(TlsRecorder recorder) {
        this(recorder, INTERVAL);
    }

    /** Looks more often, for tests. */
    public CertificateWatch(TlsRecorder recorder, Duration interval) {
        this.recorder = recorder;
        thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("tributary-certificates").daemon().factory());
        ScheduledFuture<?> _ = thread.scheduleWithFixedDelay(
                () -> watched.forEach(CertificateWatch::check), 0, interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Watches these files, too. */
    public void add(WatchedFiles files) {
        files.record(recorder);
        watched.add(files);
    }

    /** What operators should know, a sentence each. */
    public List<String> warnings() {
        return watched.stream().flatMap(one -> one.warnings().stream()).toList();
    }

    private static void check(WatchedFiles files) {
        try {
            files.check();
        } catch (RuntimeException | Error e) { // the thread would stop silently
            LOG.error("the files of {} could not be checked; this is a defect", files.name(), e);
        }
    }

    /** Watches no more; returns when nothing is being checked any more. */
    @Override
    public void close() {
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(INTERVAL.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("reading certificates does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
