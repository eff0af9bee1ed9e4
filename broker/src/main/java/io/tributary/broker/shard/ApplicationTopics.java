package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.SessionState;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.persistence.app.AppTopics.AppTopic;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The topics of a live shard's applications: each session has one ({@link LivingTopics}), is read from it
 * ({@link TopicReading}) and may be behind ({@link ApplicationLags}); those of no use are deleted
 * ({@link RetiredTopics}). Confined to the thread of the driver, unless a method says otherwise.
 */
final class ApplicationTopics {
    private final ShardEnvironment environment;
    private final Tenure tenure;
    private final ShardState state;
    private final ShardExecutor thread;
    private final TopicStats stats = new TopicStats();
    private final LivingTopics living;
    private final RetiredTopics retired;
    private final ApplicationLags lags;

    /** @param readUpTo the highest sequence number of an application that its topic must have reached */
    ApplicationTopics(
            int shard,
            ShardEnvironment environment,
            Tenure tenure,
            ShardState state,
            ShardExecutor thread,
            ToLongFunction<SessionState> readUpTo) {
        this.environment = environment;
        this.tenure = tenure;
        this.state = state;
        this.thread = thread;
        living = new LivingTopics(shard, environment, tenure, state, readUpTo, stats);
        retired = new RetiredTopics(state, environment.topics(), thread);
        lags = new ApplicationLags(
                state, environment.topics(), thread, stats, environment.recorder(), living::missing, living::suspect);
    }

    LivingTopics living() {
        return living;
    }

    /** How a connection of an application is sent its topic. */
    TopicReading reading(SessionState client) {
        return new TopicReading(
                client,
                Objects.requireNonNull(client.topic()),
                stats.of(client),
                environment.topics(),
                thread,
                environment.config().catchUp(),
                environment.clockMillis(),
                environment.timeMillis(),
                environment.recorder(),
                intact -> suspect(client, intact));
    }

    private void suspect(SessionState client, long intact) {
        if (!tenure.isOver() && state.client(client.clientId()) == client) {
            living.suspect(client, intact);
        }
    }

    /** The log says that an application is done with a part of its topic, whatever becomes of the store. */
    void acknowledged(TopicPosition position) {
        SessionState client = state.client(position.clientId());
        if (client != null && client.session() == position.session() && client.topic() != null) {
            environment
                    .topics()
                    .acknowledged(
                            AppTopic.of(client.clientId(), client.kind()),
                            client.topic().id(),
                            client.topic().position());
        }
    }

    /** A session is over. */
    void ended(SessionState client) {
        if (client.topic() != null) {
            living.ended(client);
            stats.ended(client);
            found(AppTopic.of(client.clientId(), client.kind()));
        }
    }

    /** A client has a topic: it is deleted if it is of no use any more. */
    void found(AppTopic topic) {
        retired.add(topic, environment.clockMillis().getAsLong());
    }

    /** Deletes topics; several times a second, while this node knows what the others do. */
    void tickCurrent(long nowMillis) {
        retired.tick(nowMillis);
    }

    /** Looks at how far applications are behind; several times a second. */
    void tick(long logMillis) {
        lags.tick(logMillis);
    }

    /** This node owns the shard no longer. */
    void stop() {
        lags.stop();
    }

    /** What is wrong with a topic while it is being mended, in words; null for nothing. Any thread. */
    @Nullable
    String problem() {
        return living.problem();
    }
}
