package io.tributary.broker.security;

import io.tributary.broker.security.SubscriptionDecision.Extent;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client may do, as an authorizer of the embedding application says: asked about names inside the broker, and
 * decided about those that the client knows. Where the authorizer fails, in whatever way, the answer is no.
 */
final class ConfinedPermissions implements Permissions {
    private final Permissions permissions;

    /** A client is asked about the same topic again and again; may be seen late by another thread. */
    private Named last = new Named("", "");

    private record Named(String inside, String visible) {}

    ConfinedPermissions(Permissions permissions) {
        this.permissions = permissions;
    }

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        try {
            return Objects.requireNonNull(permissions.mayPublish(visible(topic), qos, retain));
        } catch (RuntimeException | Error failure) {
            return AskedPermissions.failed(failure);
        }
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        try {
            return Objects.requireNonNull(permissions.maySubscribe(TenantNames.visible(topicFilter), qos));
        } catch (RuntimeException | Error failure) {
            return new SubscriptionDecision(
                    Extent.REFUSED, qos, AskedPermissions.failed(failure).reason());
        }
    }

    /** An authorizer that fails takes nothing away. */
    @Override
    public SubscriptionDecision standing(String topicFilter, QoS qos) {
        try {
            return Objects.requireNonNull(permissions.standing(TenantNames.visible(topicFilter), qos));
        } catch (RuntimeException | Error failure) {
            Decision _ = AskedPermissions.failed(failure);
            return Permissions.super.standing(topicFilter, qos);
        }
    }

    @Override
    public Decision mayReceive(String topic) {
        try {
            return Objects.requireNonNull(permissions.mayReceive(visible(topic)));
        } catch (RuntimeException | Error failure) {
            return AskedPermissions.failed(failure);
        }
    }

    @Override
    public @Nullable Permissions reading(String topicFilter) {
        try {
            Permissions reading = permissions.reading(TenantNames.visible(topicFilter));
            if (reading == null || reading.equals(Permissions.nothing())) {
                return reading;
            }
            return reading.equals(permissions) ? this : new ConfinedPermissions(reading);
        } catch (RuntimeException | Error failure) {
            Decision _ = AskedPermissions.failed(failure);
            return Permissions.nothing();
        }
    }

    @Override
    public Permissions remembering() {
        return new ConfinedPermissions(permissions.remembering());
    }

    private String visible(String topic) {
        if (!TenantNames.isTenants(topic)) {
            return topic;
        }
        Named known = last;
        if (!topic.equals(known.inside)) {
            known = new Named(topic, TenantNames.visible(topic));
            last = known;
        }
        return known.visible;
    }
}
