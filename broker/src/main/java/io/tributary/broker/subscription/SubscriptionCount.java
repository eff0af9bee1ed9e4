package io.tributary.broker.subscription;

/**
 * How many subscriptions some sessions have.
 *
 * @param plain subscriptions, shared ones not counted
 * @param shared memberships in shared subscriptions
 */
public record SubscriptionCount(long plain, long shared) {
    /** The sum of both counts. */
    SubscriptionCount plus(SubscriptionCount other) {
        return new SubscriptionCount(plain + other.plain, shared + other.shared);
    }
}
