package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the topics of a shard's applications whose sessions are over, some time later: a client that begins anew at
 * once keeps its topic. One that cannot be deleted is looked at again a minute later. Confined to the thread of the
 * driver.
 */
final class RetiredTopics {
    private static final Logger LOG = LoggerFactory.getLogger(RetiredTopics.class);
    private static final long DELAY_MILLIS = 60_000;

    private final ShardState state;
    private final AppTopics topics;
    private final Executor thread;
    private final Map<AppTopic, Long> dueMillis = new HashMap<>();

    RetiredTopics(ShardState state, AppTopics topics, Executor thread) {
        this.state = state;
        this.topics = topics;
        this.thread = thread;
    }

    /** There is a topic, and perhaps no session that it is for. */
    void add(AppTopic topic, long nowMillis) {
        if (!isUsed(topic)) {
            dueMillis.putIfAbsent(topic, nowMillis + DELAY_MILLIS);
        }
    }

    /** Deletes the topics that are due. Only for an owner that knows that it still owns the shard. */
    void tick(long nowMillis) {
        List<AppTopic> due = dueMillis.entrySet().stream()
                .filter(topic -> topic.getValue() <= nowMillis)
                .map(Entry::getKey)
                .toList();
        for (AppTopic topic : due) {
            dueMillis.remove(topic);
            if (!isUsed(topic)) {
                delete(topic, nowMillis);
            }
        }
    }

    private void delete(AppTopic topic, long nowMillis) {
        String name = GroupIdentifier.display(topic.clientId());
        CompletionStage<?> _ = topics.delete(topic).whenComplete((isGone, failure) -> {
            if (failure == null) {
                if (isGone) {
                    LOG.info("The topic of application {} is deleted, for its session is over", name);
                }
            } else {
                LOG.warn(
                        "The topic of application {}, whose session is over, is not deleted yet: {}",
                        name,
                        failure.toString());
                thread.execute(() -> add(topic, nowMillis));
            }
        });
    }

    private boolean isUsed(AppTopic topic) {
        SessionState client = state.client(topic.clientId());
        return client != null && client.topic() != null && topic.equals(AppTopic.of(client.clientId(), client.kind()));
    }
}
