package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.mqtt.QoS;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks an authorizer about one client, each time; where the authorizer fails, the answer is no. */
record AskedPermissions(Authorizer authorizer, ClientInfo client) implements Permissions {
    private static final Logger LOG = LoggerFactory.getLogger(AskedPermissions.class);
    private static final AtomicLong SAID_NANOS = new AtomicLong(System.nanoTime() - TimeUnit.MINUTES.toNanos(1));
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

    /** Said once a second: it may be asked about each message. */
    static Decision failed(Throwable failure) {
        long now = System.nanoTime();
        long said = SAID_NANOS.get();
        if (now - said > TimeUnit.SECONDS.toNanos(1) && SAID_NANOS.compareAndSet(said, now)) {
            LOG.warn("the authorizer failed, which means no", failure);
        }
        return FAILED;
    }
}
