package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.time.LineAMinute;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks an authorizer about one client, each time; where the authorizer fails, the answer is no. */
record AskedPermissions(Authorizer authorizer, ClientInfo client) implements Permissions {
    private static final Logger LOG = LoggerFactory.getLogger(AskedPermissions.class);
    private static final LineAMinute FAILURES = new LineAMinute(System::nanoTime);
    private static final Decision YES = new Decision(true, "the authorizer allows it");
    private static final Decision NO = new Decision(false, "the authorizer does not allow it");
    private static final Decision FAILED = new Decision(false, "the authorizer failed");

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        try {
            return decision(authorizer.mayPublish(client, topic, qos, retain));
        } catch (RuntimeException | Error failure) {
            return failed(failure);
        }
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        Decision decision;
        try {
            decision = decision(authorizer.maySubscribe(client, topicFilter, qos));
        } catch (RuntimeException | Error failure) {
            decision = failed(failure);
        }
        return new SubscriptionDecision(decision.allowed() ? Extent.CUT : Extent.REFUSED, qos, decision.reason());
    }

    /** An authorizer that fails, or does not know the connection, takes nothing away. */
    @Override
    public SubscriptionDecision standing(String topicFilter, QoS qos) {
        try {
            if (client.isConnectionKnown() && !authorizer.maySubscribe(client, topicFilter, qos)) {
                return new SubscriptionDecision(Extent.REFUSED, qos, NO.reason());
            }
        } catch (RuntimeException | Error failure) {
            Decision _ = failed(failure);
        }
        return Permissions.super.standing(topicFilter, qos);
    }

    @Override
    public Decision mayReceive(String topic) {
        try {
            return decision(authorizer.mayReceive(client, topic));
        } catch (RuntimeException | Error failure) {
            return failed(failure);
        }
    }

    @Override
    public Permissions reading(String topicFilter) {
        return this;
    }

    private static Decision decision(boolean allowed) {
        return allowed ? YES : NO;
    }

    /** Said once a minute: it may be asked about each message. */
    static Decision failed(Throwable failure) {
        String others = FAILURES.happened();
        if (others != null) {
            LOG.warn("the authorizer failed, which means no{}", others, failure);
        }
        return FAILED;
    }
}
