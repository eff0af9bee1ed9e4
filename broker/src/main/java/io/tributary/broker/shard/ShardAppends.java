package io.tributary.broker.shard;

import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The logs of the shards, as the router appends messages to them: that takes no owner of a shard, so these come first,
 * then the router, then {@link Shards}. Every method may be called from any thread and never blocks; calls from one
 * thread for one client keep their order.
 *
 * <p>Appends are always accepted; what waits here is bounded as {@link Shards} says.
 */
public final class ShardAppends {
    private final ShardLog log;
    private final LogAppender appender;
    private final Relays relays;

    /**
     * Creates it.
     *
     * @param log where the shards' events go
     * @param topics where the messages of applications go
     * @param clock the time by which messages expire, the same on all nodes
     * @param format says in which format events are written
     */
    public ShardAppends(ShardConfig config, ShardLog log, AppTopics topics, InstantSource clock, RecordFormat format) {
        this.log = log;
        appender = new LogAppender(log, topics, config.queue().maxAge(), clock::millis, format);
        relays = new Relays(log.shardCount());
    }

    LogAppender appender() {
        return appender;
    }

    /** Relays that wait for their owners. */
    Relays relays() {
        return relays;
    }

    /** How many shards there are. */
    public int count() {
        return log.shardCount();
    }

    /** The shard of a client identifier. */
    public int shardOf(String clientId) {
        return appender.shardOf(clientId);
    }

    /** The shard of a client identifier, where there are so many shards. */
    public static int shardOf(String clientId, int shards) {
        return LogAppender.shardOf(clientId, shards);
    }

    /**
     * Appends a message for persistent sessions, in as many records as their shards need.
     *
     * @param recipients at least one, with QoS 1 or 2
     * @param source where it is forwarded from, so that it may be appended again, or null for a message straight from
     *     its publisher
     * @param callback called once, when all records are durable; the offset is meaningless to it. Fails at once, with
     *     nothing appended, when it is straight from its publisher and one of the shards is {@link Shards#lagging}
     */
    public void publish(Message message, List<Recipient> recipients, @Nullable Source source, AppendCallback callback) {
        if (source != null) {
            RepeatableAppend.of(recipients, source, appender).publish(message, callback);
        } else if (isAnyLagging(recipients)) {
            callback.onAppended(-1, new LaggingShardException());
        } else {
            appender.publish(message, recipients, _ -> null, callback);
        }
    }

    /** A volatile read as long as none is. */
    private boolean isAnyLagging(List<Recipient> recipients) {
        Set<Integer> lagging = log.lagging();
        return !lagging.isEmpty()
                && recipients.stream()
                        .anyMatch(one -> !one.kind().isApplication() && lagging.contains(shardOf(one.clientId())));
    }

    /**
     * Appends a QoS 2 message of a persistent publisher to the publisher's own shard, whose owner forwards it. The
     * callback is told when it is durable and the owner will do so; not at all when its connection ends before, or has
     * lost the session.
     *
     * @param isAwaited false once the connection has ended, before its {@code Detach} is appended
     */
    public void relay(ShardEvent.Relay relay, BooleanSupplier isAwaited, AppendCallback callback) {
        int shard = shardOf(relay.clientId());
        if (log.lagging().contains(shard) || isAnyLagging(relay.destinations().recipients())) {
            callback.onAppended(-1, new LaggingShardException());
            return;
        }
        relays.expect(shard, relay.epoch(), relay.packetId(), callback);
        if (!isAwaited.getAsBoolean()) { // its end may have been told before the message was expected
            relays.ended(shard, relay.epoch());
        }
        appender.append(shard, relay.to(appender.bounded(relay.destinations())), (offset, failure) -> {
            if (failure == null) {
                relays.appended(shard, relay.epoch(), relay.packetId(), offset);
            } else {
                relays.failed(shard, relay.epoch(), relay.packetId(), failure);
            }
        });
    }
}
