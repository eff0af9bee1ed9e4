package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.broker.shard.fold.TopicProgress;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.ShardEvent.TopicFound;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Found;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that the session of each application has its topic, and that the log says which one it is before anything
 * of it is handed out. A topic that was deleted is made anew; what was in it is lost, and said to be. Confined to the
 * thread of the driver.
 */
final class LivingTopics {
    private static final Logger LOG = LoggerFactory.getLogger(LivingTopics.class);

    private final int shard;
    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final ShardState state;
    private final ToLongFunction<SessionState> readUpTo;
    private final TopicStats topicStats;
    /** Actions that go on when it is logged which topic a session has. */
    private final Map<SessionState, List<Runnable>> waiting = new HashMap<>();
    /** Clients whose topic is being looked at, and the position below which it is known not to be another one. */
    private final Map<SessionState, Long> suspected = new HashMap<>();

    private volatile @Nullable String problem;

    LivingTopics(
            int shard,
            ShardEnvironment environment,
            Tenure tenure,
            ShardState state,
            ToLongFunction<SessionState> readUpTo,
            TopicStats topicStats) {
        this.shard = shard;
        this.environment = environment;
        this.tenure = tenure;
        this.state = state;
        this.readUpTo = readUpTo;
        this.topicStats = topicStats;
    }

    /** The trouble with a topic while it is being mended, in words; null for none. Any thread. */
    @Nullable
    String problem() {
        return problem;
    }

    /**
     * Goes on when the topic of a session is there, and the log says which one it is.
     *
     * @param then told the highest sequence number that the topic has; called once, also when the session ends
     *     meanwhile
     */
    void ensure(SessionState client, LongConsumer then) {
        TopicProgress progress = client.topic();
        if (progress == null) {
            then.accept(client.lastSequence());
            return;
        }
        // What was read or acknowledged before asking must be there.
        long known = Math.max(progress.position(), readUpTo.applyAsLong(client) - progress.base());
        long base = progress.base();
        tenure.onAnswer(find(AppTopic.of(client.clientId(), client.kind()), progress.id(), known), found -> {
            boolean isOver = state.client(client.clientId()) != client;
            long intact = Math.min(found.end(), suspected.getOrDefault(client, Long.MAX_VALUE));
            boolean isKnown = found.id().equals(progress.id()) && (intact >= known || base != progress.base());
            if (isOver || isKnown) {
                then.accept(progress.base() + found.end());
            } else {
                tell(client, progress, found, intact, () -> then.accept(progress.base() + found.end()));
            }
        });
    }

    /**
     * A topic that the log names is most often there: to create it first would have every CONNECT of its application
     * wait for the one server that creates topics, and behind others that share the topic.
     *
     * @param id which topic it is to be; null when the log does not know
     * @param end where it is to end at least
     */
    private CompletionStage<Found> find(AppTopic topic, @Nullable String id, long end) {
        AppTopics topics = environment.topics();
        return id == null
                ? topics.create(topic)
                : topics.find(topic)
                        .exceptionally(_ -> null)
                        .thenCompose(found -> found != null && found.id().equals(id) && found.end() >= end
                                ? CompletableFuture.completedStage(found)
                                : topics.create(topic));
    }

    /**
     * The topic of a session could not be read, is not there, or is another one: it is looked at, and made anew if need
     * be.
     */
    void suspect(SessionState client) {
        suspect(client, Long.MAX_VALUE);
    }

    /**
     * The same.
     *
     * @param intact the topic lost all from this position on, and has something else there by now
     */
    void suspect(SessionState client, long intact) {
        boolean isLookedAt = suspected.containsKey(client);
        suspected.merge(client, intact, Math::min);
        if (!isLookedAt) {
            ensure(client, _ -> {
                suspected.remove(client);
                clearProblem();
            });
        }
    }

    /** There is no topic for a session: it is made anew. */
    void missing(SessionState client) {
        problem = "the topic of application " + GroupIdentifier.display(client.clientId())
                + " is not there and is being made anew; publishers wait for it";
        suspect(client);
    }

    /** It is logged which topic a session has. */
    void found(SessionState client) {
        goOn(client);
    }

    /** A session is over. */
    void ended(SessionState client) {
        suspected.remove(client);
        goOn(client);
    }

    private void goOn(SessionState client) {
        List<Runnable> all = waiting.remove(client);
        if (all != null) {
            all.forEach(Runnable::run);
            clearProblem();
        }
    }

    private void clearProblem() {
        if (waiting.isEmpty() && suspected.isEmpty()) {
            problem = null;
        }
    }

    private void tell(SessionState client, TopicProgress progress, Found found, long intact, Runnable then) {
        List<Runnable> others = waiting.get(client);
        if (others != null) {
            others.add(then);
            return;
        }
        waiting.put(client, new ArrayList<>(List.of(then)));
        String before = progress.id();
        if (before == null) {
            tenure.append(new TopicFound(tenure.epoch(), client.clientId(), client.session(), found.id(), 0, 1));
            return;
        }
        boolean isShorter = before.equals(found.id());
        long position = isShorter ? Math.min(progress.position(), intact) : 0;
        long used = Math.max(progress.highestUsed(), readUpTo.applyAsLong(client));
        long base = used + TopicProgress.LEAP - position;
        say(client, progress, found, isShorter ? intact : 0);
        tenure.append(new TopicFound(
                tenure.epoch(), client.clientId(), client.session(), found.id(), base, base + position + 1));
    }

    private void say(SessionState client, TopicProgress progress, Found found, long intact) {
        String name = GroupIdentifier.display(client.clientId());
        String what = found.id().equals(progress.id())
                ? "has lost its end, from " + intact + " on, and ends at " + found.end() + " now"
                : "was deleted, and is another one now";
        long lost = topicStats.of(client).end() - Math.max(progress.position(), intact);
        LOG.error(
                "Shard {}: the topic of application {} {}. What was in it and not acknowledged is lost: at least {} messages;"
                        + " what is published from now on is not",
                shard,
                name,
                what,
                Math.max(0, lost));
        environment.recorder().topicMadeAnew();
        if (lost > 0) {
            environment.recorder().topicRecordsLost(lost);
        }
        topicStats.of(client).endsAt(found.end());
        problem = "the topic of application " + name + " " + what + "; what was in it and not acknowledged is lost";
    }
}
