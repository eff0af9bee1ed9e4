package io.tributary.server.settings;

import io.tributary.broker.shard.ShardConfig;
import io.tributary.server.settings.check.Allowed;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How persistent sessions are run and saved.
 *
 * @param threads How many threads run the shards; 0 for one for each two cores.
 * @param savePointInterval The longest time between save points of a shard to which something happened; a restart
 *     repeats what came after the last one.
 * @param savePointMessages How many queued messages bring a save point earlier; where an eighth of them is acknowledged
 *     by then, four times as many.
 * @param savePointSize The size of queued messages that brings a save point earlier; not of those that are acknowledged
 *     by then.
 * @param unsavedSize How much memory may be taken by what waits for the store, whatever it is, in all shards together;
 *     0 for an eighth of the heap, at least 64MB. A shard that has its part of it waiting stands still until the store
 *     takes it.
 * @param deliverySize How much memory may be taken by messages between queues and connections, in all shards together:
 *     those that are handed to connections ahead, and those that are kept because their session is behind; 0 for an
 *     eighth of the heap, at least 64MB. When it is taken, connections are handed one message at a time, and sessions
 *     that are behind get theirs from the store.
 * @param willSize How much memory may be taken by the wills of sessions in this node's shards, also of those that are
 *     away; 0 for an eighth of the heap, at least 64MB. When it is taken, clients that bring a will with CONNECT are
 *     refused (0x97), unless it takes the place of one that is as large.
 * @param windowMessages How many unacknowledged messages are handed to a connection ahead; of a queue at most half of
 *     its limit, yet 16 messages in any case; of each priority above 0 besides an eighth, or 4. What was handed cannot
 *     make room any more. Applications have all of it.
 * @param windowSize The size of unacknowledged messages that are handed to a connection ahead; of a queue at most half
 *     of its limit, and of each priority above 0 besides an eighth, yet one message in any case.
 * @param expirySweep How many queued messages of sessions that are away are looked at in a second for whether they have
 *     expired; 0 for none: they are found when the client comes back.
 */
public record ShardSettings(
        @DefaultValue("0") @Allowed(min = "0", max = "1024") int threads,
        @DefaultValue("1s") @Allowed(min = "10ms") Duration savePointInterval,
        @DefaultValue("2000") @Allowed(min = "1") int savePointMessages,

        @DefaultValue("1MB") @Allowed(min = "1KB", max = "1GB")
        DataSize savePointSize,

        @DefaultValue("0B") @Allowed(min = "0B", max = "64GB")
        DataSize unsavedSize,

        @DefaultValue("0B") @Allowed(min = "0B", max = "64GB")
        DataSize deliverySize,

        @DefaultValue("0B") @Allowed(min = "0B", max = "64GB")
        DataSize willSize,

        @DefaultValue("1000") @Allowed(min = "1", max = "32767")
        int windowMessages,

        @DefaultValue("1MB") @Allowed(min = "1KB", max = "1GB")
        DataSize windowSize,

        @DefaultValue("20000") @Allowed(min = "0") int expirySweep) {

    void change(ShardConfig.Builder to) {
        to.threads(threads)
                .savePointInterval(savePointInterval)
                .savePointMessages(savePointMessages)
                .savePointSize((int) savePointSize.toBytes())
                .unsavedSize(unsavedSize.toBytes())
                .deliverySize(deliverySize.toBytes())
                .willSize(willSize.toBytes())
                .windowMessages(windowMessages)
                .windowSize((int) windowSize.toBytes())
                .expirySweep(expirySweep);
    }
}
