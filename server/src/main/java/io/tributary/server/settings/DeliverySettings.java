package io.tributary.server.settings;

import io.tributary.broker.connection.OutboundLimits;
import io.tributary.server.settings.check.Allowed;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of what is on its way to one client.
 *
 * @param maxInFlight How many QoS 1 and 2 messages are sent ahead of their acknowledgements; the client's receive
 *     maximum counts where it is lower.
 * @param topicAliasMaximum How many topic aliases are used towards an MQTT 5 client that allows so many; 0 for none.
 * @param queueMessages How many messages wait in memory for a client that cannot keep up: those of QoS 0, and those of
 *     a session that ends with its connection. Persistent sessions have {@code tributary.queues}.
 * @param queueSize How much memory these messages may take together, about.
 * @param queueOverflow What a full queue drops, always of the lowest priority there is (docs/priorities.md).
 *     {@code drop-oldest}: the message that waits longest. {@code drop-newest}: the message that comes.
 *     {@code hold-publishers}: the message that comes, but when the queue is half full, publishers, at any
 *     node, that publish for the client are read later (docs/robustness.md).
 */
public record DeliverySettings(
        @DefaultValue("1000") @Allowed(min = "1", max = "65535")
        int maxInFlight,

        @DefaultValue("32") @Allowed(min = "0", max = "65535")
        int topicAliasMaximum,

        @DefaultValue("10000") @Allowed(min = "1") int queueMessages,
        @DefaultValue("4MB") @Allowed(min = "1KB") DataSize queueSize,
        @DefaultValue("drop-newest") OutboundLimits.Overflow queueOverflow) {

    void change(OutboundLimits.Builder to) {
        to.maxInFlight(maxInFlight)
                .topicAliasMaximum(topicAliasMaximum)
                .queueMessages(queueMessages)
                .queueSize(queueSize.toBytes())
                .queueOverflow(queueOverflow);
    }
}
