package io.tributary.server.settings;

import io.tributary.broker.connection.InboundLimits;
import io.tributary.broker.connection.MessageRate;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits of what one client publishes.
 *
 * @param receiveMaximum How many QoS 1 and 2 messages an MQTT 5 client may have open at once.
 * @param topicAliasMaximum The highest topic alias an MQTT 5 client may use; 0 for none. The topics of all that it has
 *     set may have 65,536 characters together, or 256 times this number where that is more.
 * @param maxUnacknowledged How many messages may wait for their acknowledgement before an MQTT 3 client, which knows no
 *     receive maximum, is not read any more.
 * @param maxUnreleased How many QoS 2 messages an MQTT 3 client may leave without PUBREL.
 * @param checkPayloadFormat Whether payloads that say they are UTF-8 are checked.
 * @param rate How many messages a second a client may publish in the long run; 0 for no limit.
 * @param burst How many messages may come at once when there is a rate; 0 for as many as the rate allows in a second.
 * @param ratePolicy What happens to a client that publishes faster. {@code backpressure}: it is read more slowly.
 *     {@code disconnect}: it is disconnected with reason code 0x96.
 */
public record PublishSettings(
        @DefaultValue("1000") @Allowed(min = "1", max = "65535")
        int receiveMaximum,

        @DefaultValue("32") @Allowed(min = "0", max = "65535")
        int topicAliasMaximum,

        @DefaultValue("1000") @Allowed(min = "1") int maxUnacknowledged,

        @DefaultValue("10000") @Allowed(min = "1", max = "65535")
        int maxUnreleased,

        @DefaultValue("false") boolean checkPayloadFormat,
        @DefaultValue("0") @Allowed(min = "0") int rate,
        @DefaultValue("0") @Allowed(min = "0") int burst,
        @DefaultValue("backpressure") MessageRate.Policy ratePolicy) {

    void change(InboundLimits.Builder to) {
        to.receiveMaximum(receiveMaximum)
                .topicAliasMaximum(topicAliasMaximum)
                .maxUnacknowledged(maxUnacknowledged)
                .maxUnreleased(maxUnreleased)
                .checkPayloadFormat(checkPayloadFormat)
                .rate(rate)
                .burst(burst)
                .ratePolicy(ratePolicy);
    }
}
