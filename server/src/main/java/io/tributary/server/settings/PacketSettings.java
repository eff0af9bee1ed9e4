package io.tributary.server.settings;

import io.tributary.common.codec.DecoderLimits;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of single packets from clients; each is checked before memory is taken for what it limits.
 *
 * @param maxSize The size of a packet.
 * @param maxConnectSize The size of a CONNECT, which comes from a client that is not known yet.
 * @param maxTopicSize The size of a topic name or topic filter.
 * @param maxTopicLevels The levels of a topic name or topic filter.
 * @param maxPropertiesSize The size of the MQTT 5 properties of a packet.
 * @param maxUserProperties The user properties of a packet.
 * @param maxFilters The topic filters in one SUBSCRIBE or UNSUBSCRIBE.
 */
public record PacketSettings(
        @DefaultValue("2MB") @Allowed(min = "1KB", max = "256MB")
        DataSize maxSize,

        @DefaultValue("64KB") @Allowed(min = "1KB", max = "256MB")
        DataSize maxConnectSize,

        @DefaultValue("65535B") @Allowed(min = "1B", max = "65535B")
        DataSize maxTopicSize,

        @DefaultValue("128") @Allowed(min = "1", max = "65536")
        int maxTopicLevels,

        @DefaultValue("64KB") @Allowed(min = "0B", max = "256MB")
        DataSize maxPropertiesSize,

        @DefaultValue("100") @Allowed(min = "0") int maxUserProperties,
        @DefaultValue("1000") @Allowed(min = "1") int maxFilters) {

    void change(DecoderLimits.Builder to) {
        to.maxSize((int) maxSize.toBytes())
                .maxConnectSize((int) maxConnectSize.toBytes())
                .maxTopicSize((int) maxTopicSize.toBytes())
                .maxTopicLevels(maxTopicLevels)
                .maxPropertiesSize((int) maxPropertiesSize.toBytes())
                .maxUserProperties(maxUserProperties)
                .maxFilters(maxFilters);
    }
}
