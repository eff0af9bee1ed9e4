package io.tributary.broker.security;

import io.tributary.common.mqtt.QoS;

/** The authorizer of a broker that has none configured. */
enum AllowAll implements Authorizer {
    INSTANCE;

    @Override
    public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
        return topic.charAt(0) != '$';
    }

    @Override
    public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
        return true;
    }

    @Override
    public boolean mayReceive(ClientInfo client, String topic) {
        return true;
    }
}
