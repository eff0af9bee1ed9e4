package io.tributary.broker.security;

import io.tributary.common.mqtt.QoS;

/**
 * Decides what a client may publish, subscribe to and receive. It is asked on every path that a message can take, and
 * answers from memory: it is called on event loops, shard threads and the thread that writes the store, several at the
 * same time, and must not block. When it throws, the answer is no.
 *
 * <p>The {@link ClientInfo} is the same object for all questions about one connection, until its client authenticates
 * again and something else is known of it: then {@link #bind} is asked about another one. A question without the
 * connection has an object with little in it, see {@link ClientInfo#isConnectionKnown}.
 *
 * <p>The broker asks the {@link Permissions} of {@link #bind} and {@link #bindAway}. Unless these are overridden, they
 * ask the three methods below each time.
 */
public interface Authorizer {

    /**
     * Whether the client may publish to the topic. Asked about its connection; for a will at CONNECT about the
     * connection, and when the will is published about the identifier and, where it is known, the principal.
     */
    boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain);

    /** Whether the client may subscribe to the filter, given without {@code $share/name/}; about its connection. */
    boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos);

    /**
     * Whether the client may receive a message on the topic. Asked twice: before the message is queued, for persistent
     * sessions and those on other nodes about the identifier, the kind and the principal as far as they are known; and
     * about the connection before it is sent. Only what both allow arrives; a rule about listener or certificate must
     * not say no to the first.
     */
    boolean mayReceive(ClientInfo client, String topic);

    /**
     * What a client may do whose connection is known, or that is a back-end without one: what is not there (a listener,
     * a certificate) counts as absent, not as unknown. Asked once for each connection, and for transient sessions of
     * this node once for each subscription.
     */
    default Permissions bind(ClientInfo client) {
        return new AskedPermissions(this, client);
    }

    /**
     * What a client may do whose session is looked at without its connection: what is not known of it may be so, and
     * is asked about again when the connection is there. Asked once for each subscription and each will.
     */
    default Permissions bindAway(ClientInfo client) {
        return bind(client);
    }

    /**
     * The number of the rules that hold: another one than before when answers may be others from now on. Subscriptions
     * that are there are looked at again then, within seconds: {@link #maySubscribe} is asked about those of connected
     * clients, and what it refuses is removed.
     */
    default long version() {
        return 0;
    }

    /**
     * A digest of the rules that this node has from its own configuration, and not from what all nodes share: the same
     * for the same rules in whatever process. While live nodes of a cluster differ in it, none takes subscriptions of
     * persistent sessions away: another node may have granted them by its own rules. 0 where there are no such rules.
     */
    default long digest() {
        return 0;
    }

    /** Allows everything, except publishing to topics that begin with {@code $}, which are the broker's own. */
    static Authorizer allowAll() {
        return AllowAll.INSTANCE;
    }
}
