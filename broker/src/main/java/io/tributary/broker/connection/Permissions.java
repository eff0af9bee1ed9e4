package io.tributary.broker.connection;

import io.tributary.broker.security.Authorizer;
import io.tributary.common.mqtt.QoS;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Permissions of one client: asks the authorizer; where the authorizer fails, the answer is no. */
record Permissions(Authorizer authorizer, String clientId) {
    private static final Logger LOG = LoggerFactory.getLogger(Permissions.class);

    boolean mayPublish(String topic, QoS qos, boolean retain) {
        return ask(() -> authorizer.mayPublish(clientId, topic, qos, retain));
    }

    boolean maySubscribe(String topicFilter, QoS qos) {
        return ask(() -> authorizer.maySubscribe(clientId, topicFilter, qos));
    }

    boolean mayReceive(String topic) {
        return ask(() -> authorizer.mayReceive(clientId, topic));
    }

    private static boolean ask(BooleanSupplier question) {
        try {
            return question.getAsBoolean();
        } catch (RuntimeException failure) {
            LOG.warn("the authorizer failed, which means no", failure);
            return false;
        }
    }
}
