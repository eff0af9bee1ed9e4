package io.tributary.broker.connection;

import static io.tributary.common.mqtt.MqttPacket.ABSENT;

import io.tributary.broker.connection.OutboundTopicAliases.Use;
import io.tributary.broker.security.Decision;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.codec.PublishTemplate;
import io.tributary.common.codec.PublishVariant;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.Printable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes messages to one client as PUBLISH packets, unless a message is expired, is too large or may not be read by the
 * client; such a message is dropped and counted. Confined to the event loop.
 */
final class MessageWriter {
    private static final Logger LOG = LoggerFactory.getLogger(MessageWriter.class);
    private static final long LONGEST_EXPIRY_SECONDS = 0xFFFF_FFFFL;

    private final ConnectionContext context;
    private final boolean mqtt5;
    private final ClientPermissions permissions;
    private final OutboundTopicAliases aliases;
    private final @Nullable TenantConnection quota;

    MessageWriter(ConnectionContext context, Identity identity, ConnectProperties client) {
        this.context = context;
        mqtt5 = identity.client().isMqtt5();
        permissions = identity.permissions();
        quota = identity.quota();
        aliases = new OutboundTopicAliases(
                Math.min(client.topicAliasMaximum(), context.limits().outbound().topicAliasMaximum()));
    }

    /**
     * Writes a message.
     *
     * @param packetId its packet identifier, 0 with QoS 0
     * @param dup whether it may have been sent before; then it does not expire any more
     * @return whether it was written; if not, it is dropped
     */
    boolean write(Queued queued, int packetId, boolean dup) {
        Message message = queued.message();
        if (!dup && hasExpired(message)) {
            context.services().recorder().deadlineMissed(message.topic());
            return drop(DropReason.EXPIRED); // [MQTT-3.3.2-5]
        }
        Decision decision = permissions.mayReceive(message.topic());
        if (!decision.allowed()) {
            context.services().recorder().notAuthorized(decision.ruleSet());
            return false;
        }
        PublishTemplate template;
        try {
            template = context.loop().templates().of(message, mqtt5);
        } catch (
                IllegalArgumentException e) { // not from a client: an embedding program's text that no packet can carry
            LOG.warn(
                    "a message of {} cannot be written, and is dropped: {}",
                    Printable.of(message.topic()),
                    e.getMessage());
            return drop(DropReason.TOO_LARGE);
        }
        boolean written = mqtt5
                ? writeMqtt5(template, queued, packetId, dup)
                : context.sink().publish(template, PublishVariant.plain(queued.qos(), queued.retain(), dup, packetId));
        if (!written) {
            return drop(DropReason.TOO_LARGE); // [MQTT-3.1.2-24, MQTT-3.1.2-25]
        }
        if (quota != null) {
            quota.sent(message.sizeBytes());
        }
        return true;
    }

    private boolean writeMqtt5(PublishTemplate template, Queued queued, int packetId, boolean dup) {
        String topic = queued.message().topic();
        Use use = aliases.use(topic);
        if (context.sink().publish(template, variant(queued, packetId, dup, use))) {
            return true;
        }
        if (!use.isNew()) {
            return false;
        }
        aliases.revoke(topic); // without the alias it may just fit
        return context.sink().publish(template, variant(queued, packetId, dup, Use.NONE));
    }

    private PublishVariant variant(Queued queued, int packetId, boolean dup, Use use) {
        List<Integer> subscriptionIds = queued.subscriptionIds(); // [MQTT-3.3.4-3, MQTT-3.3.4-4]
        long expirySeconds = secondsLeft(queued.message());
        return new PublishVariant(
                queued.qos(),
                queued.retain(),
                dup,
                packetId,
                use.alias(),
                use.sendTopic(),
                expirySeconds,
                subscriptionIds);
    }

    private boolean hasExpired(Message message) {
        return message.expiresAtMillis() != Message.NEVER && message.isExpiredAt(context.timeMillis());
    }

    /** What is left of the expiry interval [MQTT-3.3.2-6], rounded up so that no waiting takes nothing off. */
    private long secondsLeft(Message message) {
        if (message.expiresAtMillis() == Message.NEVER) {
            return ABSENT;
        }
        long leftMillis = Math.max(0, message.expiresAtMillis() - context.timeMillis());
        return Math.min(Math.ceilDiv(leftMillis, 1_000), LONGEST_EXPIRY_SECONDS);
    }

    private boolean drop(DropReason reason) {
        context.services().recorder().dropped(reason);
        return false;
    }
}
