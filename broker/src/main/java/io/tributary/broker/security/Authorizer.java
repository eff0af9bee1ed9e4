package io.tributary.broker.security;

import io.tributary.common.mqtt.QoS;

/**
 * Decides what a client may publish and subscribe to. The one function that is asked on every path a message can take.
 * It answers from memory: it is called on event loops and shard threads and must not block. When it throws, the answer
 * is no.
 */
public interface Authorizer {

    /**
     * Whether the client may publish to the topic; also asked for wills, when they are set and when they are published.
     */
    boolean mayPublish(String clientId, String topic, QoS qos, boolean retain);

    /** Whether the client may subscribe to the filter, given without {@code $share/name/}. */
    boolean maySubscribe(String clientId, String topicFilter, QoS qos);

    /** Whether the client may receive a message on the topic; asked at each delivery. */
    boolean mayReceive(String clientId, String topic);

    /** Allows everything, except publishing to topics that begin with {@code $}, which are the broker's own. */
    static Authorizer allowAll() {
        return AllowAll.INSTANCE;
    }
}
