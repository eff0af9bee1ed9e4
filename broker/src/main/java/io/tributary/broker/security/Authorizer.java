package io.tributary.broker.security;

import io.tributary.common.mqtt.QoS;

/**
 * Decides what a client may publish, subscribe to and receive. It is asked on every path that a message can take, and
 * answers from memory: it is called on event loops, shard threads and the thread that writes the store, and must not
 * block. When it throws, the answer is no.
 *
 * <p>The {@link ClientInfo} is the same object for all questions about one connection; a question without the
 * connection has an object with little in it, see {@link ClientInfo#isConnectionKnown}.
 */
public interface Authorizer {

    /**
     * Whether the client may publish to the topic. Asked about its connection; for a will at CONNECT about the
     * connection, and when the will is published about the identifier alone.
     */
    boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain);

    /** Whether the client may subscribe to the filter, given without {@code $share/name/}; about its connection. */
    boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos);

    /**
     * Whether the client may receive a message on the topic. Asked twice: before the message is queued, for persistent
     * sessions and those on other nodes about the identifier and the kind alone; and about the connection before it is
     * sent. Only what both allow arrives; a rule about user, listener or certificate must not say no to the first.
     */
    boolean mayReceive(ClientInfo client, String topic);

    /** Allows everything, except publishing to topics that begin with {@code $}, which are the broker's own. */
    static Authorizer allowAll() {
        return AllowAll.INSTANCE;
    }
}
