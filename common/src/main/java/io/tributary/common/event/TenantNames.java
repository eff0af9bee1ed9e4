package io.tributary.common.event;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Printable;
import io.tributary.common.topic.TopicFilter;
import io.tributary.common.topic.TopicLevels;
import io.tributary.common.topic.TopicName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The names inside the broker of what belongs to a tenant. Clients of a tenant have topics, filters and client
 * identifiers to themselves: {@code devices/7} of the tenant {@code acme} is {@code <NUL>acme/devices/7} from where the
 * packet becomes a message to where the message becomes a packet, and the client {@code 7} is {@code <NUL><NUL>acme/7}
 * to shards, stores and topics. No client can send a NUL [MQTT-1.5.4-2], so none can name what is another tenant's.
 */
public final class TenantNames {
    /** How many bytes a tenant's name has at most in UTF-8. */
    public static final int MAX_BYTES = 64;

    /** How many bytes longer in UTF-8 a name inside is at most than the one that the client knows. */
    public static final int MOST_PREFIX_BYTES = MAX_BYTES + 3;

    /** The first format of records in which there are such names. */
    public static final int FIRST_FORMAT = 3;

    /**
     * What the broker's own clients have where others have their tenant's name, {@code <NUL>/canary/7}: no tenant has
     * it, so nobody else can name what is theirs.
     */
    public static final String BROKER = "";

    private static final char MARK = TopicName.TENANT_MARK;
    private static final String BROKERS_LEVEL = BROKER + TopicLevels.SEPARATOR;

    private TenantNames() {}

    /**
     * Checks the name of a tenant: it is one level of topics inside the broker.
     *
     * @throws IllegalArgumentException unless it has 1 to {@value #MAX_BYTES} bytes of UTF-8 and no separator, wildcard
     *     or control character
     */
    public static void check(String tenant) {
        if (!isName(tenant)) {
            throw new IllegalArgumentException("the tenant must have 1 to " + MAX_BYTES
                    + " bytes in UTF-8, without /, +, # and control characters");
        }
    }

    /** Whether a tenant may have the name. */
    public static boolean isName(String tenant) {
        int bytes = tenant.getBytes(StandardCharsets.UTF_8).length;
        return bytes > 0 && bytes <= MAX_BYTES && tenant.codePoints().allMatch(TenantNames::isOfALevel);
    }

    private static boolean isOfALevel(int character) {
        return character != TopicLevels.SEPARATOR
                && character != '+'
                && character != '#'
                && !Character.isISOControl(character)
                && Character.getType(character) != Character.SURROGATE; // half a character is ? in UTF-8
    }

    /**
     * The name inside of a topic, or of a filter without {@code $share/NAME/}.
     *
     * @param tenant the tenant, which has no {@code /}; null for none: the name stays as it is
     */
    public static String topic(@Nullable String tenant, String topic) {
        return tenant == null ? topic : MARK + tenant + TopicLevels.SEPARATOR + topic;
    }

    /** The filter inside: what is behind {@code $share/NAME/} gets the tenant's level. */
    public static TopicFilter filter(@Nullable String tenant, TopicFilter filter) {
        return tenant == null ? filter : new TopicFilter(topic(tenant, filter.filter()), filter.shareName());
    }

    /**
     * The name inside of a client identifier. It has one NUL more than a topic, as {@link GroupIdentifier}s begin with
     * one.
     */
    public static String clientId(@Nullable String tenant, String clientId) {
        return tenant == null ? clientId : MARK + topic(tenant, clientId);
    }

    /** The message inside: its topic and its publisher, if it has one, are the tenant's. */
    public static Message message(@Nullable String tenant, Message message) {
        String publisher = message.publisher();
        return tenant == null
                ? message
                : message.withNames(
                        topic(tenant, message.topic()), publisher.isEmpty() ? publisher : clientId(tenant, publisher));
    }

    /** Whether a topic, filter or client identifier is a tenant's; a {@link GroupIdentifier} is not one of these. */
    public static boolean isTenants(String name) {
        return !name.isEmpty() && name.charAt(0) == MARK;
    }

    /** Whether a topic, filter or client identifier is one of the broker's own clients'. */
    public static boolean isBrokers(String name) {
        return isTenants(name) && name.startsWith(BROKERS_LEVEL, start(name));
    }

    /** The tenant of a topic, filter or client identifier; null of one that is no tenant's. */
    public static @Nullable String tenantOf(String name) {
        return isTenants(name) ? name.substring(start(name), separator(name)) : null;
    }

    /** The topic, filter or client identifier as the client knows it. */
    public static String visible(String name) {
        return isTenants(name) ? name.substring(separator(name) + 1) : name;
    }

    /** The filter as the client knows it, {@code $share/NAME/} included. */
    public static TopicFilter visible(TopicFilter filter) {
        return isTenants(filter.filter()) ? new TopicFilter(visible(filter.filter()), filter.shareName()) : filter;
    }

    /** The message as clients of its tenant know it. */
    public static Message visible(Message message) {
        return isTenants(message.topic())
                ? message.withNames(visible(message.topic()), visible(message.publisher()))
                : message;
    }

    /**
     * How to show a topic, a filter ({@code $share/NAME/} included) or a client identifier to people: as the client
     * knows it, but for what is not {@link Printable}, and whose it is: {@code devices/7 (tenant acme)}. It forges no
     * line of a log.
     */
    public static String display(String name) {
        int mark = name.indexOf(MARK);
        if (mark < 0) {
            return Printable.of(name);
        }
        if (name.indexOf(TopicLevels.SEPARATOR, mark) < 0) { // a session that another one has taken the place of
            return Printable.of(name.substring(0, mark));
        }
        String inside = name.substring(mark);
        String whose = isBrokers(inside) ? " (the broker's own)" : " (tenant " + tenantOf(inside) + ")";
        return Printable.of(name.substring(0, mark) + visible(inside)) + whose;
    }

    private static int start(String name) {
        return name.length() > 1 && name.charAt(1) == MARK ? 2 : 1;
    }

    private static int separator(String name) {
        return name.indexOf(TopicLevels.SEPARATOR, start(name));
    }
}
