package io.tributary.broker.boot.settings;

import io.tributary.broker.subscription.SharedStrategy;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Shared subscriptions ({@code $share/group/filter}).
 *
 * @param strategy Which member gets a message. {@code round-robin}: one after the other. {@code least-in-flight}: the one with the fewest
 *     unacknowledged messages. {@code sticky-by-publisher}: the same one for all messages of a publisher. {@code hash-of-topic}: the same
 *     one for all messages on a topic.
 */
public record SharedSubscriptionSettings(
        @DefaultValue("round-robin") SharedStrategy strategy) {}
