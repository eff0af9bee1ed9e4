package io.tributary.server.settings;

import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How many subscriptions there may be and of what size, and how fast they are found.
 *
 * @param maxPerClient The most subscriptions of one client; more are answered with "quota exceeded" (0x97).
 * @param maxSharedPerClient The most shared subscriptions of one client; more are answered with "quota exceeded". Each
 *     one brings the client a copy of a message, and everybody's messages are matched with all of them.
 * @param maxSizePerClient The size of all topic filters of one client together; those beyond it are answered with
 *     "quota exceeded". Each change of a persistent session's subscriptions writes all of them.
 *     A filter with a wildcard counts 32 bytes more for each of its levels, which all nodes have in memory.
 * @param maxFilterSize The size of a topic filter, {@code $share/NAME/} included; a longer one is answered with "quota
 *     exceeded". What waits for a member of a shared subscription has it with each message.
 * @param maxSize How much memory may be taken, about, by all subscriptions that a node knows: those of all persistent
 *     sessions of the cluster, of its own other sessions, and what other nodes tell of theirs; 0 for a quarter of the
 *     heap. When it is taken, new subscriptions are answered with "quota exceeded"; what is there stays. All nodes of a
 *     cluster should have the same, so that the smallest one has room for it.
 * @param cachedTopics For how many topics the matching subscriptions are remembered; 0 for none.
 */
public record SubscriptionSettings(
        @DefaultValue("1000") @Allowed(min = "1") int maxPerClient,

        @DefaultValue("100") @Allowed(min = "0") int maxSharedPerClient,

        @DefaultValue("256KB") @Allowed(min = "1KB", max = "64MB")
        DataSize maxSizePerClient,

        @DefaultValue("1KB") @Allowed(min = "16B", max = "65535B")
        DataSize maxFilterSize,

        @DefaultValue("0B") @Allowed(min = "0B", max = "64GB")
        DataSize maxSize,

        @DefaultValue("16384") @Allowed(min = "0", max = "4194304")
        int cachedTopics) {

    void change(SubscriptionLimits.Builder to) {
        to.maxPerClient(maxPerClient)
                .maxSharedPerClient(maxSharedPerClient)
                .maxSizePerClient((int) maxSizePerClient.toBytes())
                .maxFilterSize((int) maxFilterSize.toBytes())
                .maxSize(maxSize.toBytes())
                .cachedTopics(cachedTopics);
    }
}
