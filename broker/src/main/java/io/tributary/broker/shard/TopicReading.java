package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.TopicProgress;
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
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the messages of one application for one of its connections, from where the session has come to. Skips what
 * another session of the client was to have, and what was forwarded twice. Confined to the thread of the driver; pages
 * arrive there.
 */
final class TopicReading {
    private static final int PAGE_BYTES = 256 << 10;
    /** What is no older than that was not missed, but comes as it is published. */
    private static final long LIVE_MILLIS = 5000;

    private final SessionState client;
    private final AppTopic topic;
    private final AppTopics topics;
    private final Executor thread;
    private final CatchUpPace pace;
    private final LongSupplier clockMillis;
    private final LongSupplier timeMillis;
    private final ShardRecorder recorder;
    private final TopicProgress progress;
    private final TopicStats.OfTopic stats;
    /**
     * Told when the topic could not be read, for it may be gone or another one; and from which position on it is known
     * to be another one, if so.
     */
    private final LongConsumer failed;

    private final Set<Long> released;
    /** The latest source read so far from each shard. */
    private final Map<Integer, Source> latest;
    /** The sources read of messages that the application is not known to be done with, in their order. */
    private final Queue<Sourced> ahead = new ArrayDeque<>();

    /** The latest source from each shard of what the application is done with, unless the log is known to have it. */
    private final Map<Integer, Sourced> toBeLogged = new HashMap<>();

    private @Nullable CompletableFuture<AppTopics.Page> reading;
    private boolean isCatchingUp = true;
    private long notBeforeMillis;

    private record Sourced(long sequence, Source source) {}

    TopicReading(
            SessionState client,
            TopicProgress progress,
            TopicStats.OfTopic stats,
            AppTopics topics,
            Executor thread,
            CatchUpPace pace,
            LongSupplier clockMillis,
            LongSupplier timeMillis,
            ShardRecorder recorder,
            LongConsumer failed) {
        this.progress = progress;
        this.stats = stats;
        this.failed = failed;
        this.client = client;
        this.topics = topics;
        this.thread = thread;
        this.pace = pace;
        this.clockMillis = clockMillis;
        this.timeMillis = timeMillis;
        this.recorder = recorder;
        topic = AppTopic.of(client.clientId(), client.kind());
        released = new HashSet<>(progress.released());
        latest = new HashMap<>(progress.sources());
    }

    /**
     * Whether the application has had as much of what it missed as it is to have by now; asked again a little later.
     */
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
        if (from < progress.first()) {
            then.accept(lost(from, progress.first()));
            return;
        }
        long base = progress.base();
        long position = from - 1 - base;
        CompletableFuture<AppTopics.Page> answer =
                topics.read(topic, progress.id(), position, isCatchingUp ? pace.mostAtOnce(max) : max, PAGE_BYTES);
        reading = answer;
        CompletableFuture<?> _ = answer.whenComplete((page, failure) -> thread.execute(() -> {
            boolean isCurrent = failure == null && base == progress.base();
            boolean isAnother = isCurrent && page.from() < position;
            if (isAnother) {
                failed.accept(page.from());
            } else if (failure != null && !answer.isCancelled()) {
                failed.accept(Long.MAX_VALUE);
            }
            then.accept(isCurrent && !isAnother ? current(from, page) : null);
        }));
    }

    /** What is left of a topic that is gone: PUBREL is owed for messages of which PUBREC came. */
    private SessionQueues.Page lost(long from, long until) {
        List<ShardStore.Entry> entries = released.stream()
                .filter(sequence -> sequence >= from && sequence < until)
                .sorted()
                .map(sequence -> new ShardStore.Entry(sequence, new QueueEntry.Released()))
                .toList();
        released.removeIf(sequence -> sequence < until);
        return new SessionQueues.Page(entries, until);
    }

    /** It is logged that the topic is another one: nothing more is read of the one before. */
    void topicFound() {
        if (reading != null) {
            reading.cancel(false);
        }
    }

    /** Whether a sequence number is one of a topic that is gone. */
    boolean isOfAnother(long sequence) {
        return sequence < progress.first();
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
        long wanted = from - 1 - progress.base();
        if (page.from() > wanted && !topic.shared()) {
            recorder.topicRecordsLost(page.from() - wanted);
        }
        List<ShardStore.Entry> entries = new ArrayList<>(page.records().size());
        for (AppRecord entry : page.records()) {
            if (isForThisSession(entry) && isNew(entry)) {
                entries.add(new ShardStore.Entry(sequenceOf(entry), entryOf(entry)));
            }
        }
        return new SessionQueues.Page(entries, page.next() + 1 + progress.base());
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
        stats.read((double) bytes / records.size());
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
        return session == client.session() || session == AppRecord.ANY_SESSION;
    }

    private boolean isNew(AppRecord entry) {
        Source source = entry.source();
        if (source == null) {
            return true;
        }
        Source known = latest.get(source.shard());
        if (known != null && !source.isAfter(known.offset(), known.part())) {
            return false;
        }
        latest.put(source.shard(), source);
        ahead.add(new Sourced(sequenceOf(entry), source));
        return true;
    }

    private long sequenceOf(AppRecord entry) {
        return entry.position() + 1 + progress.base();
    }

    private QueueEntry entryOf(AppRecord entry) {
        return released.remove(sequenceOf(entry))
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
     * @return the latest sources up to it that the log is not known to have: also those given before, for an append may
     *     fail, and the next one not
     */
    List<Source> pass(long upTo) {
        for (Sourced first = ahead.peek(); first != null && first.sequence <= upTo; first = ahead.peek()) {
            toBeLogged.put(first.source.shard(), first);
            ahead.remove();
        }
        released.removeIf(sequence -> sequence <= upTo);
        return toBeLogged.values().stream().map(Sourced::source).toList();
    }

    /** The log has what was passed up to a sequence number. */
    void logged(long upTo) {
        toBeLogged.values().removeIf(passed -> passed.sequence <= upTo);
    }
}
