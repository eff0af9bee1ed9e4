package io.tributary.broker.shard;

import io.tributary.persistence.app.AppTopics;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How far a shard's applications are behind the ends of their topics, asked every few seconds. Confined to the thread of the
 * driver.
 *
 * <p>Topics do not tell how old a message is that nobody reads. But what was before a topic's end at one time is older than that:
 * so the ends at some times in the past are kept for each application that is behind, more of them from lately than from long ago.
 */
final class ApplicationLags {
    private static final long INTERVAL_MILLIS = 10_000;
    private static final int MOST_ENDS = 64;

    private final ShardState state;
    private final AppTopics topics;
    private final Executor thread;
    private final ShardRecorder recorder;
    private final Map<String, Behind> known = new HashMap<>();
    private long dueMillis;
    private int asked;

    /**
     * The end of a topic at a time.
     *
     * @param position behind the last message
     */
    private record End(long timeMillis, long position) {}

    /** What is known of an application. */
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

        /** When messages from the position on were there already; null when there are none. */
        @Nullable
        Long since(long position) {
            while (!ends.isEmpty() && ends.peek().position <= position) {
                ends.remove();
            }
            return ends.isEmpty() ? null : ends.peek().timeMillis;
        }
    }

    ApplicationLags(ShardState state, AppTopics topics, Executor thread, ShardRecorder recorder) {
        this.state = state;
        this.topics = topics;
        this.thread = thread;
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
        Set<String> gone = new HashSet<>(known.keySet());
        for (ClientState client : state.clients()) {
            if (client.topic != null && client.isPersistent()) {
                gone.remove(client.clientId);
                ask(client, nowMillis);
            }
        }
        gone.forEach(this::forget);
    }

    /** This owner is one no more. */
    void stop() {
        Set.copyOf(known.keySet()).forEach(this::forget);
    }

    private void ask(ClientState client, long nowMillis) {
        asked++;
        CompletionStage<?> _ = topics.endPosition(client.appTopic())
                .whenComplete((end, failure) -> thread.execute(() -> {
                    asked--;
                    if (failure == null && state.client(client.clientId) == client) {
                        tell(client, nowMillis, end);
                    }
                }));
    }

    private void tell(ClientState client, long askedAtMillis, long end) {
        TopicProgress progress = client.topic;
        if (progress == null) {
            return;
        }
        Behind behind = known.get(client.clientId);
        if (behind == null) {
            behind = new Behind();
            known.put(client.clientId, behind);
            if (!client.isAttached()) { // by an owner before this one
                behind.add(new End(Math.min(askedAtMillis, client.detachedAtMillis), end));
            }
        }
        behind.add(new End(askedAtMillis, end));
        long messages = Math.max(0, end - progress.upTo() - progress.settled().size());
        Long since = behind.since(progress.upTo());
        double bytes = messages == 0 ? 0 : messages * client.meanReadBytes;
        long ageMillis = messages == 0 || since == null ? 0 : askedAtMillis - since;
        recorder.lag(client.clientId, new ApplicationLag(messages, bytes, ageMillis));
    }

    private void forget(String clientId) {
        known.remove(clientId);
        recorder.lagUnknown(clientId);
    }
}
