package io.tributary.broker.connection;

import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.QoS;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Permissions of one client: asks the authorizer; where the authorizer fails, the answer is no. */
record Permissions(Authorizer authorizer, ClientInfo client) {
    private static final Logger LOG = LoggerFactory.getLogger(Permissions.class);

    boolean mayPublish(String topic, QoS qos, boolean retain) {
        try {
            return authorizer.mayPublish(client, topic, qos, retain);
        } catch (RuntimeException failure) {
            return failed(failure);
        }
    }

    boolean maySubscribe(String topicFilter, QoS qos) {
        try {
            return authorizer.maySubscribe(client, topicFilter, qos);
        } catch (RuntimeException failure) {
            return failed(failure);
        }
    }

    boolean mayReceive(String topic) {
        try {
            return authorizer.mayReceive(client, topic);
        } catch (RuntimeException failure) {
            return failed(failure);
        }
    }

    private static boolean failed(RuntimeException failure) {
        LOG.warn("the authorizer failed, which means no", failure);
        return false;
    }
}
