package io.tributary.broker.tenant;

/**
 * What a tenant uses, at one node or several.
 *
 * @param connections connections that have, or wait for, a session
 * @param sessions persistent sessions
 * @param subscriptions the subscriptions of persistent sessions, which each node knows of all
 * @param transientSubscriptions the subscriptions of the other sessions
 * @param retainedMessages retained messages, which each node knows of all
 * @param retainedBytes the size of these
 * @param queuedBytes the size of the queues of sessions
 */
public record TenantUse(
        long connections,
        long sessions,
        long subscriptions,
        long transientSubscriptions,
        long retainedMessages,
        long retainedBytes,
        long queuedBytes) {

    /** Nothing. */
    public static final TenantUse NOTHING = new TenantUse(0, 0, 0, 0, 0, 0, 0);

    /** Connections. */
    public static TenantUse ofConnections(long connections) {
        return new TenantUse(connections, 0, 0, 0, 0, 0, 0);
    }

    /** Persistent sessions, and the size of their queues. */
    public static TenantUse ofSessions(long sessions, long queuedBytes) {
        return new TenantUse(0, sessions, 0, 0, 0, 0, queuedBytes);
    }

    /** Subscriptions of persistent sessions and of others. */
    public static TenantUse ofSubscriptions(long persistent, long transients) {
        return new TenantUse(0, 0, persistent, transients, 0, 0, 0);
    }

    /** Retained messages and their size. */
    public static TenantUse ofRetained(long messages, long bytes) {
        return new TenantUse(0, 0, 0, 0, messages, bytes, 0);
    }

    /** The sum. */
    public TenantUse plus(TenantUse other) {
        return new TenantUse(
                connections + other.connections,
                sessions + other.sessions,
                subscriptions + other.subscriptions,
                transientSubscriptions + other.transientSubscriptions,
                retainedMessages + other.retainedMessages,
                retainedBytes + other.retainedBytes,
                queuedBytes + other.queuedBytes);
    }

    /** The part that no other node knows. */
    TenantUse own() {
        return new TenantUse(connections, sessions, 0, transientSubscriptions, 0, 0, queuedBytes);
    }
}
