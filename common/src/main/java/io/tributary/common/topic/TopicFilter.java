package io.tributary.common.topic;

import io.tributary.common.collection.SecretHash;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/**
 * A valid topic filter: which topics a subscription wants.
 *
 * @param filter the filter proper, without {@code $share/NAME/}
 * @param shareName the name of the shared subscription, or null when it is not one
 */
public record TopicFilter(String filter, @Nullable String shareName) {

    private static final long SEED = SecretHash.newSeed();

    /** The prefix of a shared subscription [MQTT-4.8.2-1]. */
    public static final String SHARE_PREFIX = "$share/";

    /**
     * Parses a filter as a client gave it in SUBSCRIBE or UNSUBSCRIBE. {@code $share/NAME/FILTER} is a shared
     * subscription in every version of MQTT.
     *
     * @throws MqttException with {@link ReasonCode#TOPIC_FILTER_INVALID} unless it is valid and within the limits
     */
    public static TopicFilter parse(String text, TopicLimits limits) {
        if (limits.exceededBy(text)) {
            throw invalid("topic filter is longer than " + limits.maxBytes() + " bytes");
        }
        TopicFilter parsed = isShared(text) ? parseShared(text) : new TopicFilter(text, null);
        checkSyntax(parsed.filter);
        if (limits.tooDeep(parsed.filter)) {
            throw invalid("topic filter has more than " + limits.maxLevels() + " levels");
        }
        return parsed;
    }

    /** Parses a filter that was accepted before, so that only MQTT's own limits apply. */
    public static TopicFilter parse(String text) {
        return parse(text, TopicLimits.MQTT);
    }

    /**
     * Parses what {@link #toString} made of a filter that was accepted before; it may be a tenant's, with the tenant as
     * its first level, and then longer than a client's.
     *
     * @throws MqttException with {@link ReasonCode#TOPIC_FILTER_INVALID} when it is damaged
     */
    public static TopicFilter parseStored(String text) {
        TopicFilter parsed = isShared(text) ? parseShared(text) : new TopicFilter(text, null);
        boolean isTenants = !parsed.filter.isEmpty() && parsed.filter.charAt(0) == TopicName.TENANT_MARK;
        checkSyntax(isTenants ? parsed.filter.substring(1) : parsed.filter);
        return parsed;
    }

    /** Whether the text asks for a shared subscription [MQTT-4.8.2-1]; it need not be a valid one. */
    public static boolean isShared(String text) {
        return text.startsWith(SHARE_PREFIX);
    }

    /** How many bytes it has in UTF-8, {@code $share/NAME/} included. */
    public int sizeBytes() {
        int share = shareName == null ? 0 : SHARE_PREFIX.length() + Utf8Length.of(shareName) + 1;
        return share + Utf8Length.of(filter);
    }

    /** Whether the filter is neither too long, {@code $share/NAME/} included, nor too deep. */
    public boolean isWithin(TopicLimits limits) {
        return !limits.exceededBy(toString()) && !limits.tooDeep(filter);
    }

    /** Whether this is a shared subscription. */
    public boolean isShared() {
        return shareName != null;
    }

    /** Whether the filter has a wildcard; one without matches a single topic. */
    public boolean hasWildcard() {
        return filter.indexOf('+') >= 0 || filter.indexOf('#') >= 0;
    }

    /** Clients choose filters: without a secret, one client's could all have one hash, and a map of them be slow. */
    @Override
    public int hashCode() {
        int hash = SecretHash.of(filter, SEED);
        return shareName == null ? hash : 31 * hash + SecretHash.of(shareName, SEED);
    }

    /** The filter as a client would write it, {@code $share/NAME/} included. */
    @Override
    public String toString() {
        return shareName == null ? filter : SHARE_PREFIX + shareName + TopicLevels.SEPARATOR + filter;
    }

    /** Whether a message on the given topic, a valid topic name, goes to this subscription. */
    public boolean matches(String topic) {
        return matches(topic, 0);
    }

    /** The same for a topic inside the broker as its clients know it: without the tenant's level, if it has one. */
    public boolean matchesVisible(String topic) {
        boolean isTenants = !topic.isEmpty() && topic.charAt(0) == TopicName.TENANT_MARK;
        return matches(topic, isTenants ? topic.indexOf(TopicLevels.SEPARATOR) + 1 : 0);
    }

    private boolean matches(String topic, int start) {
        int filterStart = 0;
        int topicStart = start;
        while (true) {
            if (isWildcard(filterStart) && !TopicName.isOpenToWildcards(topic, topicStart)) {
                return false; // [MQTT-4.7.2-1]
            }
            if (isMultiLevelWildcard(filterStart)) {
                return true;
            }
            int filterEnd = TopicLevels.levelEnd(filter, filterStart);
            int topicEnd = TopicLevels.levelEnd(topic, topicStart);
            if (!levelMatches(filterStart, filterEnd, topic, topicStart, topicEnd)) {
                return false;
            }
            if (topicEnd == topic.length()) {
                // "a/#" matches its parent "a", too [MQTT-4.7.1-2].
                return filterEnd == filter.length() || isMultiLevelWildcard(filterEnd + 1);
            }
            if (filterEnd == filter.length()) {
                return false;
            }
            filterStart = filterEnd + 1;
            topicStart = topicEnd + 1;
        }
    }

    private boolean isWildcard(int levelStart) {
        return levelStart < filter.length() && (filter.charAt(levelStart) == '+' || isMultiLevelWildcard(levelStart));
    }

    private boolean isMultiLevelWildcard(int levelStart) {
        return levelStart < filter.length() && filter.charAt(levelStart) == '#';
    }

    private boolean levelMatches(int start, int end, String topic, int topicStart, int topicEnd) {
        if (start < end && filter.charAt(start) == '+') {
            return true;
        }
        int length = end - start;
        return length == topicEnd - topicStart && filter.regionMatches(start, topic, topicStart, length);
    }

    private static TopicFilter parseShared(String text) {
        int nameStart = SHARE_PREFIX.length();
        int nameEnd = text.indexOf(TopicLevels.SEPARATOR, nameStart);
        if (nameEnd < 0) {
            throw invalid("shared subscription has no topic filter [MQTT-4.8.2-2]");
        }
        String name = text.substring(nameStart, nameEnd);
        if (name.isEmpty() || name.indexOf('+') >= 0 || name.indexOf('#') >= 0) {
            throw invalid("share name is empty or has a wildcard [MQTT-4.8.2-1, MQTT-4.8.2-2]");
        }
        return new TopicFilter(text.substring(nameEnd + 1), name);
    }

    private static void checkSyntax(String filter) {
        if (filter.isEmpty()) {
            throw invalid("topic filter is empty [MQTT-4.7.3-1]");
        }
        if (filter.indexOf(TopicName.TENANT_MARK) >= 0) {
            throw invalid("topic filter has a null character [MQTT-4.7.3-2]");
        }
        for (int i = 0; i < filter.length(); i++) {
            char c = filter.charAt(i);
            if (c == '#' && !(startsLevel(filter, i) && i == filter.length() - 1)) {
                throw invalid("# is not the whole last level of the topic filter [MQTT-4.7.1-1]");
            }
            if (c == '+' && !(startsLevel(filter, i) && endsLevel(filter, i))) {
                throw invalid("+ is not a whole level of the topic filter [MQTT-4.7.1-2]");
            }
        }
    }

    private static boolean startsLevel(String filter, int at) {
        return at == 0 || filter.charAt(at - 1) == TopicLevels.SEPARATOR;
    }

    private static boolean endsLevel(String filter, int at) {
        return at == filter.length() - 1 || filter.charAt(at + 1) == TopicLevels.SEPARATOR;
    }

    private static MqttException invalid(String flaw) {
        return new MqttException(ReasonCode.TOPIC_FILTER_INVALID, flaw);
    }
}
