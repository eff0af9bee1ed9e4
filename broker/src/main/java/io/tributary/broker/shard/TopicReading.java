package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.Source;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of one application for one of its connections, from where the session has come to. Skips what another
 * session of the client was to have, and what was handed on twice. Confined to the thread of the driver; pages arrive there.
 */
final class TopicReading {
    private static final int PAGE_BYTES = 256 << 10;
    /** What is no older than that was not missed, but comes as it is published. */
    private static final long LIVE_MILLIS = 5000;
    /** In the mean size of what is read. */
    private static final double WEIGHT_OF_A_PAGE = 0.2;

    private final ClientState client;
    private final AppTopic topic;
    private final AppTopics topics;
    private final Executor thread;
    private final CatchUpPace pace;
    private final LongSupplier clockMillis;
    private final LongSupplier timeMillis;
    private final ShardRecorder recorder;
    private final Set<Long> released;
    /** The latest source read so far from each shard. */
    private final Map<Integer, Source> seen;
    /** The sources read of messages that the application is not known to be done with, in their order. */
    private final Queue<Sourced> ahead = new ArrayDeque<>();

    private @Nullable CompletableFuture<AppTopics.Page> reading;
    private boolean isCatchingUp = true;
    private long notBeforeMillis;

    private record Sourced(long sequence, Source source) {}

    TopicReading(
            ClientState client,
            TopicProgress progress,
            AppTopics topics,
            Executor thread,
            CatchUpPace pace,
            LongSupplier clockMillis,
            LongSupplier timeMillis,
            ShardRecorder recorder) {
        this.client = client;
        this.topics = topics;
        this.thread = thread;
        this.pace = pace;
        this.clockMillis = clockMillis;
        this.timeMillis = timeMillis;
        this.recorder = recorder;
        topic = client.appTopic();
        released = new HashSet<>(progress.released());
        seen = new HashMap<>(progress.sources());
    }

    /** Whether the application has had as much of what it missed as it is to have by now; asked again a little later. */
    boolean isPaced() {
        return notBeforeMillis > clockMillis.getAsLong();
    }

    /**
     * Reads on; waits for a message where there is none.
     *
     * @param from the lowest sequence number wanted
     * @param then told on the driver's thread; the page is null when the topic could not be read
     */
    void read(long from, int max, Consumer<SessionQueues.@Nullable Page> then) {
        CompletableFuture<AppTopics.Page> answer =
                topics.read(topic, from - 1, isCatchingUp ? pace.mostAtOnce(max) : max, PAGE_BYTES);
        reading = answer;
        CompletableFuture<?> _ = answer.whenComplete(
                (page, _) -> thread.execute(() -> then.accept(page == null ? null : current(from, page))));
    }

    /** PUBRECs for these messages are logged: only PUBREL is owed for those that are still to be read. */
    void released(long[] sequences) {
        for (long sequence : sequences) {
            released.add(sequence);
        }
    }

    /** Nobody wants the messages any more: not the page that is being waited for, nor what was read ahead. */
    void cancel() {
        if (reading != null) {
            reading.cancel(false);
        }
        topics.release(topic);
    }

    private SessionQueues.Page current(long from, AppTopics.Page page) {
        noteSizes(page.records());
        if (page.from() >= from && !topic.shared()) {
            recorder.topicRecordsLost(page.from() - (from - 1));
        }
        List<ShardStore.Entry> entries = new ArrayList<>(page.records().size());
        for (AppRecord entry : page.records()) {
            if (isForThisSession(entry) && isNew(entry)) {
                entries.add(new ShardStore.Entry(entry.position() + 1, entryOf(entry)));
            }
        }
        return new SessionQueues.Page(entries, page.next() + 1);
    }

    private void noteSizes(List<AppRecord> records) {
        if (records.isEmpty()) {
            isCatchingUp = false;
            return;
        }
        long bytes = 0;
        for (AppRecord entry : records) {
            bytes += entry.message().sizeBytes();
        }
        double mean = (double) bytes / records.size();
        double before = client.meanReadBytes;
        client.meanReadBytes = Double.isNaN(before) ? mean : before + (mean - before) * WEIGHT_OF_A_PAGE;
        if (pace.isLimited()) {
            noteSpeed(records, bytes);
        }
    }

    private void noteSpeed(List<AppRecord> records, long bytes) {
        long now = clockMillis.getAsLong();
        isCatchingUp = records.getFirst().timeMillis() < timeMillis.getAsLong() - LIVE_MILLIS;
        if (isCatchingUp) {
            notBeforeMillis = Math.max(now, notBeforeMillis) + pace.millisFor(records.size(), bytes);
        }
    }

    private boolean isForThisSession(AppRecord entry) {
        long session = entry.recipient().session();
        return session == client.session || session == AppRecord.ANY_SESSION;
    }

    private boolean isNew(AppRecord entry) {
        Source source = entry.source();
        if (source == null) {
            return true;
        }
        Source known = seen.get(source.shard());
        if (known != null && !source.isAfter(known.offset(), known.part())) {
            return false;
        }
        seen.put(source.shard(), source);
        ahead.add(new Sourced(entry.position() + 1, source));
        return true;
    }

    private QueueEntry entryOf(AppRecord entry) {
        return released.remove(entry.position() + 1)
                ? new QueueEntry.Released()
                : new QueueEntry.Queued(
                        entry.message(),
                        entry.recipient().qos(),
                        entry.recipient().retain(),
                        entry.recipient().subscriptionIds(),
                        null);
    }

    /**
     * The application is done with everything up to a sequence number.
     *
     * @return the latest sources up to it that were not given before
     */
    List<Source> pass(long upTo) {
        Map<Integer, Source> latest = new HashMap<>();
        for (Sourced first = ahead.peek(); first != null && first.sequence <= upTo; first = ahead.peek()) {
            latest.put(first.source.shard(), first.source);
            ahead.remove();
        }
        return List.copyOf(latest.values());
    }
}
