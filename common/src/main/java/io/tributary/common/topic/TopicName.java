package io.tributary.common.topic;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;

/** The rules for topic names, which say where one message goes. */
public final class TopicName {

    /** How the topics begin on which a broker tells about itself. */
    public static final String SYS_PREFIX = "$SYS/";

    /**
     * Begins the first level of a tenant's topics and filters inside the broker, {@code <NUL>acme/devices/7}. No client
     * can send it [MQTT-4.7.3-2].
     */
    public static final char TENANT_MARK = '\0';

    private TopicName() {}

    /**
     * Checks a topic name that a client gave.
     *
     * @throws MqttException with {@link ReasonCode#TOPIC_NAME_INVALID} unless it is valid and within the limits
     */
    public static void check(String topic, TopicLimits limits) {
        String flaw = flaw(topic, limits);
        if (flaw != null) {
            throw new MqttException(ReasonCode.TOPIC_NAME_INVALID, flaw);
        }
    }

    /** Whether a topic name is valid and within the limits. */
    public static boolean isValid(String topic, TopicLimits limits) {
        return flaw(topic, limits) == null;
    }

    /** Whether the topic is one of those, starting with {@code $}, that the broker keeps for itself [MQTT-4.7.2-1]. */
    public static boolean isReserved(String topic) {
        return !topic.isEmpty() && topic.charAt(0) == '$';
    }

    /**
     * Whether a wildcard may stand for the level that begins there: not for a first level that begins with {@code $}
     * [MQTT-4.7.2-1]. Of a tenant's topic the first level is the tenant, for which no wildcard stands, and the one
     * behind it is the first as the rule has it.
     */
    public static boolean isOpenToWildcards(String topic, int levelStart) {
        if (levelStart == 0) {
            return !isReserved(topic) && !isTenants(topic);
        }
        return !isTenants(topic)
                || !topic.startsWith("$", levelStart)
                || topic.indexOf(TopicLevels.SEPARATOR) + 1 != levelStart;
    }

    private static boolean isTenants(String topic) {
        return !topic.isEmpty() && topic.charAt(0) == TENANT_MARK;
    }

    private static @Nullable String flaw(String topic, TopicLimits limits) {
        if (topic.isEmpty()) {
            return "topic name is empty [MQTT-4.7.3-1]";
        }
        if (topic.indexOf('+') >= 0 || topic.indexOf('#') >= 0) {
            return "topic name has a wildcard [MQTT-3.3.2-2]";
        }
        if (topic.indexOf(TENANT_MARK) >= 0) {
            return "topic name has a null character [MQTT-4.7.3-2]";
        }
        if (limits.exceededBy(topic)) {
            return "topic name is longer than " + limits.maxBytes() + " bytes";
        }
        return limits.tooDeep(topic) ? "topic name has more than " + limits.maxLevels() + " levels" : null;
    }
}
