package io.tributary.common.event;

import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicName;
import org.jspecify.annotations.Nullable;

/**
 * The name under which the applications of a shared subscription have a session together: that of the subscription
 * behind a NUL, which no client identifier has in it [MQTT-1.5.4-2]. To shards, stores and topics it is the identifier
 * of one more application.
 */
public final class GroupIdentifier {
    private static final String MARK = "\0";

    private GroupIdentifier() {}

    /** The identifier for a shared subscription, {@code $share/name/filter}. */
    public static String of(String group) {
        return ofName(group.substring(TopicFilter.SHARE_PREFIX.length()));
    }

    /** The identifier for the text behind {@code $share/}. */
    public static String ofName(String nameAndFilter) {
        return MARK + nameAndFilter;
    }

    /** Whether this is such an identifier and not a client's; one of a tenant ({@link TenantNames}) is a client's. */
    public static boolean isGroup(String clientId) {
        return clientId.startsWith(MARK) && !clientId.startsWith(MARK, MARK.length());
    }

    /** The shared subscription, {@code $share/name/filter}, of an identifier that is a group's. */
    public static String groupOf(String clientId) {
        return TopicFilter.SHARE_PREFIX + nameOf(clientId);
    }

    /** The text behind {@code $share/} in the shared subscription of a group's identifier. */
    public static String nameOf(String clientId) {
        return clientId.substring(MARK.length());
    }

    /** The tenant of a group or a client; null of one that is no tenant's. */
    public static @Nullable String tenantOf(String clientId) {
        if (!isGroup(clientId)) {
            return TenantNames.tenantOf(clientId);
        }
        int filter = filterOfTenant(clientId);
        return filter < 0 ? null : TenantNames.tenantOf(clientId.substring(filter));
    }

    /** The text behind {@code $share/} of a group as its members know it. */
    public static String visibleNameOf(String clientId) {
        int filter = filterOfTenant(clientId);
        return filter < 0
                ? nameOf(clientId)
                : clientId.substring(MARK.length(), filter) + TenantNames.visible(clientId.substring(filter));
    }

    /** Where the filter begins in the identifier of a group, if that is a tenant's; else -1. */
    private static int filterOfTenant(String clientId) {
        return clientId.indexOf(TopicName.TENANT_MARK, MARK.length());
    }

    /**
     * How to show an identifier to people: a group as its shared subscription, a client as it is, and what is a
     * tenant's as {@link TenantNames#display}.
     */
    public static String display(String clientId) {
        return TenantNames.display(isGroup(clientId) ? groupOf(clientId) : clientId);
    }
}
