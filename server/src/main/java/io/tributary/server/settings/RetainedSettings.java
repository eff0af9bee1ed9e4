package io.tributary.server.settings;

import io.tributary.broker.retained.RetainedLimits;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How many retained messages are kept. At a limit, messages on topics that have none yet are refused, or, where the
 * publisher cannot be told (MQTT 3, QoS 0), delivered and not retained; what is there can be replaced by something not
 * larger, and removed.
 *
 * @param maxMessages The most retained messages; 0 to keep none.
 * @param maxSize How much memory they may take together, about: text and payloads, some 300 bytes for each message, and
 *     some 120 for each user property.
 */
public record RetainedSettings(
        @DefaultValue("1000000") @Allowed(min = "0") long maxMessages,
        @DefaultValue("256MB") @Allowed(min = "0B") DataSize maxSize) {

    void change(RetainedLimits.Builder to) {
        to.maxMessages(maxMessages).maxSize(maxSize.toBytes());
    }
}
