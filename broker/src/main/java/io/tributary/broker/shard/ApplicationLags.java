package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Found;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How far a shard's applications are behind the ends of their topics, asked every few seconds. Confined to the thread
 * of the driver.
 *
 * <p>Topics do not tell how old a message is that is not read. But a message before a topic's end at one time is older
 * than that time: so the ends at some times in the past are kept for each application that is behind, more of them from
 * lately than from long ago.
 */
final class ApplicationLags {
    private static final long INTERVAL_MILLIS = 10_000;
    private static final int MOST_ENDS = 64;

    private final ShardState state;
    private final AppTopics topics;
    private final Executor thread;
    private final TopicStats topicStats;
    private final ShardRecorder recorder;
    private final Consumer<SessionState> missing;
    private final Consumer<SessionState> strange;
    private final Map<String, Behind> known = new HashMap<>();
    private long dueMillis;
    private int asked;

    /**
     * The end of a topic at a time.
     *
     * @param last the sequence number of the last message
     */
    private record End(long timeMillis, long last) {}

    /** The figures of one application. */
    private static final class Behind {
        final ArrayDeque<End> ends = new ArrayDeque<>();

        void add(End end) {
            ends.add(end);
            if (ends.size() > MOST_ENDS) {
                Iterator<End> each = ends.iterator();
                for (boolean drop = false; each.hasNext(); drop = !drop) {
                    each.next();
                    if (drop) {
                        each.remove();
                    }
                }
            }
        }

        /** When messages behind the sequence number were there already; null when there are none. */
        @Nullable
        Long since(long upTo) {
            while (!ends.isEmpty() && ends.peek().last <= upTo) {
                ends.remove();
            }
            return ends.isEmpty() ? null : ends.peek().timeMillis;
        }
    }

    /**
     * Creates it.
     *
     * @param missing told of a client whose topic is not there
     * @param strange told of a client whose topic is another one than before, or is shorter
     */
    ApplicationLags(
            ShardState state,
            AppTopics topics,
            Executor thread,
            TopicStats topicStats,
            ShardRecorder recorder,
            Consumer<SessionState> missing,
            Consumer<SessionState> strange) {
        this.missing = missing;
        this.strange = strange;
        this.state = state;
        this.topics = topics;
        this.thread = thread;
        this.topicStats = topicStats;
        this.recorder = recorder;
    }

    /**
     * Asks for the ends of all topics now and then; the next time when all have answered.
     *
     * @param nowMillis the log's time, which may go back
     */
    void tick(long nowMillis) {
        long left = dueMillis - nowMillis;
        if ((left > 0 && left <= INTERVAL_MILLIS) || asked > 0) {
            return;
        }
        dueMillis = nowMillis + INTERVAL_MILLIS;
        Map<SessionState, AppTopic> all = new LinkedHashMap<>();
        Set<String> gone = new HashSet<>(known.keySet());
        for (SessionState client : state.clients()) {
            if (client.topic() != null && client.isPersistent()) {
                gone.remove(client.clientId());
                all.put(client, AppTopic.of(client.clientId(), client.kind()));
            }
        }
        Map<AppTopic, CompletionStage<@Nullable Found>> answers = topics.findAll(all.values());
        asked = all.size();
        all.forEach((client, topic) -> await(client, Objects.requireNonNull(answers.get(topic)), nowMillis));
        gone.forEach(this::forget);
    }

    /** This node owns the shard no longer. */
    void stop() {
        Set.copyOf(known.keySet()).forEach(this::forget);
    }

    private void await(SessionState client, CompletionStage<@Nullable Found> answer, long nowMillis) {
        CompletionStage<?> _ = answer.whenComplete((found, failure) -> thread.execute(() -> {
            asked--;
            TopicProgress progress = client.topic();
            if (failure != null || progress == null || state.client(client.clientId()) != client) {
                return;
            }
            if (found == null) {
                missing.accept(client);
            } else if (!found.id().equals(progress.id()) || found.end() < progress.position()) {
                strange.accept(client);
            } else {
                topicStats.of(client).endsAt(found.end());
                tell(client, progress, nowMillis, found.end() + progress.base());
            }
        }));
    }

    private void tell(SessionState client, TopicProgress progress, long askedAtMillis, long last) {
        Behind behind = known.get(client.clientId());
        if (behind == null) {
            behind = new Behind();
            known.put(client.clientId(), behind);
            if (!client.isAttached()) { // by an owner before this one
                behind.add(new End(Math.min(askedAtMillis, client.detachedAtMillis()), last));
            }
        }
        long upTo = progress.position() + progress.base();
        behind.add(new End(askedAtMillis, last));
        long messages = Math.max(0, last - upTo - progress.settled().size());
        Long since = behind.since(upTo);
        double bytes = messages == 0 ? 0 : messages * topicStats.of(client).meanBytes();
        long ageMillis = messages == 0 || since == null ? 0 : askedAtMillis - since;
        recorder.lag(client.clientId(), new ApplicationLag(messages, bytes, ageMillis));
    }

    private void forget(String clientId) {
        known.remove(clientId);
        recorder.lagUnknown(clientId);
    }
}
