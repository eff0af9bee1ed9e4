package io.tributary.common.event;

import io.tributary.common.topic.TopicLevels;
import org.jspecify.annotations.Nullable;

/**
 * The names inside the broker of what belongs to a tenant. Clients of a tenant have topics, filters and client
 * identifiers to themselves: {@code devices/7} of the tenant {@code acme} is {@code <NUL>acme/devices/7} from where the
 * packet becomes a message to where the message becomes a packet, and the client {@code 7} is {@code <NUL><NUL>acme/7}
 * to shards, stores and topics. No client can send a NUL [MQTT-1.5.4-2], so none can name what is another tenant's.
 */
public final class TenantNames {
    private static final char MARK = '\0';

    private TenantNames() {}

    /**
     * The name inside of a topic, or of a filter without {@code $share/NAME/}.
     *
     * @param tenant the tenant, which has no {@code /}; null for none: the name stays as it is
     */
    public static String topic(@Nullable String tenant, String topic) {
        return tenant == null ? topic : MARK + tenant + TopicLevels.SEPARATOR + topic;
    }

    /**
     * The name inside of a client identifier. It has one NUL more than a topic, as {@link GroupIdentifier}s begin with
     * one.
     */
    public static String clientId(@Nullable String tenant, String clientId) {
        return tenant == null ? clientId : MARK + topic(tenant, clientId);
    }

    /** Whether a topic, filter or client identifier is a tenant's; a {@link GroupIdentifier} is not one of these. */
    public static boolean isTenants(String name) {
        return !name.isEmpty() && name.charAt(0) == MARK;
    }

    /** The tenant of a topic, filter or client identifier; null of one that is no tenant's. */
    public static @Nullable String tenantOf(String name) {
        return isTenants(name) ? name.substring(start(name), separator(name)) : null;
    }

    /** The topic, filter or client identifier as the client knows it. */
    public static String visible(String name) {
        return isTenants(name) ? name.substring(separator(name) + 1) : name;
    }

    private static int start(String name) {
        return name.length() > 1 && name.charAt(1) == MARK ? 2 : 1;
    }

    private static int separator(String name) {
        return name.indexOf(TopicLevels.SEPARATOR, start(name));
    }
}
