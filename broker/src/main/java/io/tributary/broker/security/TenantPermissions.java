package io.tributary.broker.security;

import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.QoS;
import org.jspecify.annotations.Nullable;

/** What a client of a tenant may do: asked about names inside the broker, and decided about those that it knows. */
final class TenantPermissions implements Permissions {
    private final Permissions permissions;

    /** A client is asked about the same topic again and again; may be seen late by another thread. */
    private Named last = new Named("", "");

    private record Named(String inside, String visible) {}

    TenantPermissions(Permissions permissions) {
        this.permissions = permissions;
    }

    @Override
    public Decision mayPublish(String topic, QoS qos, boolean retain) {
        return permissions.mayPublish(visible(topic), qos, retain);
    }

    @Override
    public SubscriptionDecision maySubscribe(String topicFilter, QoS qos) {
        return permissions.maySubscribe(TenantNames.visible(topicFilter), qos);
    }

    @Override
    public SubscriptionDecision standing(String topicFilter, QoS qos) {
        return permissions.standing(TenantNames.visible(topicFilter), qos);
    }

    @Override
    public Decision mayReceive(String topic) {
        return permissions.mayReceive(visible(topic));
    }

    @Override
    public @Nullable Permissions reading(String topicFilter) {
        Permissions reading = permissions.reading(TenantNames.visible(topicFilter));
        return reading == null || reading.equals(Permissions.nothing()) ? reading : new TenantPermissions(reading);
    }

    @Override
    public Permissions remembering() {
        return new TenantPermissions(permissions.remembering());
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
