package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Topics of applications in memory: whatever is asked is done at once, on the calling thread. */
public final class InstantTopics implements AppTopics {
    final Map<AppTopic, Long> acknowledged = new HashMap<>();
    private final Map<AppTopic, List<AppRecord>> topics = new HashMap<>();
    private final Map<AppTopic, Waiting> waiting = new HashMap<>();

    private final Map<AppTopic, Integer> incarnations = new HashMap<>();
    /** From where on topics are other ones than they were, as long as their readers have not gone back there. */
    private final Map<AppTopic, Long> intact = new HashMap<>();

    /** Who asks whether a topic is there, while that is not known. */
    private final Map<AppTopic, CompletableFuture<Found>> asking = new LinkedHashMap<>();

    private boolean isSilent;
    /** Whether Kafka tells of topics and creates none. */
    boolean areNotCreated;
    /** Whether topics cannot be deleted. */
    boolean areKept;

    private record Waiting(long from, CompletableFuture<Page> answer) {}

    /** An appender to a log and to topics that nobody looks at. */
    static LogAppender appender(ShardLog log) {
        return appender(log, RecordFormat.alone());
    }

    static LogAppender appender(ShardLog log, RecordFormat format) {
        return new LogAppender(log, new InstantTopics(), Duration.ZERO, () -> 0, format);
    }

    List<AppRecord> records(AppTopic topic) {
        return topics.getOrDefault(topic, List.of());
    }

    boolean exists(AppTopic topic) {
        return topics.containsKey(topic);
    }

    /** Whether somebody waits for a message. */
    boolean isAwaited(AppTopic topic) {
        Waiting one = waiting.get(topic);
        return one != null && !one.answer.isDone();
    }

    /** The topic loses all from a position on, and gets other records there; readers are told until they go back. */
    void loseEnd(AppTopic topic, int from, List<Message> others) {
        List<AppRecord> records = Objects.requireNonNull(topics.get(topic));
        Recipient recipient = records.getFirst().recipient();
        records.subList(from, records.size()).clear();
        intact.put(topic, (long) from);
        others.forEach(message -> records.add(new AppRecord(records.size(), 0, message, recipient, null)));
        Waiting reader = waiting.remove(topic);
        if (reader != null) {
            reader.answer.complete(new Page(List.of(), from, from));
        }
    }

    /** From now on it is not known whether topics are there. */
    void fallSilent() {
        isSilent = true;
    }

    /** It is known again, and topics are created; who has asked meanwhile is told. */
    void speak() {
        isSilent = false;
        areNotCreated = false;
        asking.forEach((topic, answer) -> create(topic).thenAccept(answer::complete));
        asking.clear();
    }

    @Override
    public CompletionStage<Found> create(AppTopic topic) {
        if (isSilent || areNotCreated) {
            return asking.computeIfAbsent(topic, _ -> new CompletableFuture<>());
        }
        topics.computeIfAbsent(topic, _ -> {
            incarnations.merge(topic, 1, Integer::sum);
            return new ArrayList<>();
        });
        return CompletableFuture.completedStage(found(topic));
    }

    private Found found(AppTopic topic) {
        return new Found("t" + incarnations.get(topic), records(topic).size());
    }

    @Override
    public CompletionStage<Boolean> delete(AppTopic topic) {
        if (areKept) {
            return CompletableFuture.failedStage(new IllegalStateException("not now"));
        }
        topics.remove(topic);
        Waiting reader = waiting.remove(topic);
        if (reader != null) {
            reader.answer.completeExceptionally(new IllegalStateException("it is deleted"));
        }
        return CompletableFuture.completedStage(true);
    }

    @Override
    public CompletionStage<Set<AppTopic>> deletable() {
        return CompletableFuture.completedStage(Set.copyOf(topics.keySet()));
    }

    @Override
    public void release(AppTopic topic) {
        waiting.remove(topic);
    }

    @Override
    public boolean append(
            AppTopic topic, Message message, Recipient recipient, @Nullable Source source, AppendCallback callback) {
        List<AppRecord> records = topics.get(topic);
        if (records == null) {
            callback.onAppended(-1, null);
            return true;
        }
        long position = records.size();
        records.add(new AppRecord(position, 0, message, recipient, source));
        callback.onAppended(position, null);
        Waiting reader = waiting.remove(topic);
        if (reader != null) {
            reader.answer.complete(page(records, reader.from, Integer.MAX_VALUE));
        }
        return true;
    }

    @Override
    public void onRoom(Runnable action) {
        action.run();
    }

    @Override
    public CompletableFuture<Page> read(AppTopic topic, @Nullable String id, long from, int maxRecords, int maxBytes) {
        if (!exists(topic) || (id != null && !id.equals(found(topic).id()))) {
            return CompletableFuture.failedFuture(new IllegalStateException("there is no such topic"));
        }
        Long lostFrom = intact.get(topic);
        if (lostFrom != null && lostFrom < from) {
            return CompletableFuture.completedFuture(new Page(List.of(), lostFrom, lostFrom));
        }
        intact.remove(topic);
        List<AppRecord> records = topics.getOrDefault(topic, List.of());
        if (from < records.size()) {
            return CompletableFuture.completedFuture(page(records, from, maxRecords));
        }
        Waiting reader = new Waiting(from, new CompletableFuture<>());
        waiting.put(topic, reader);
        return reader.answer;
    }

    private static Page page(List<AppRecord> records, long from, int maxRecords) {
        int end = (int) Math.min(records.size(), from + maxRecords);
        return new Page(List.copyOf(records.subList((int) from, end)), from, end);
    }

    @Override
    public CompletionStage<@Nullable Found> find(AppTopic topic) {
        return isSilent
                ? CompletableFuture.failedStage(new IllegalStateException("not now"))
                : CompletableFuture.completedStage(exists(topic) ? found(topic) : null);
    }

    @Override
    public void acknowledged(AppTopic topic, @Nullable String id, long position) {
        acknowledged.put(topic, position);
    }

    @Override
    public void close() {}
}
