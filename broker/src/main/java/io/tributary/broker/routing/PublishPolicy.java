package io.tributary.broker.routing;

import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.PublishInterceptor.Decision;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.PublishInterceptor.Refuse;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.MessageFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rights to publish and to receive, and the interceptors before a message is routed. A failure of either counts as a
 * refusal.
 *
 * @param interceptors asked in this order; each sees what the one before made of the message
 * @param largestPacketBytes the largest packet of a client; what is made of one, or without one, is to be no larger
 */
public record PublishPolicy(Authorizer authorizer, List<PublishInterceptor> interceptors, int largestPacketBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(PublishPolicy.class);
    /** The parts of a message that a packet can lack: the topic, when it has an alias, and the publisher. */
    private static final int NAMES_BYTES = 2 << 16;

    /** Copies the list. */
    public PublishPolicy {
        interceptors = List.copyOf(interceptors);
    }

    /** Whether a client may publish a message. */
    boolean mayPublish(ClientInfo client, Message message) {
        try {
            return authorizer.mayPublish(client, message.topic(), message.qos(), message.retain());
        } catch (RuntimeException e) {
            LOG.debug("authorizer failed: {} may not publish to {}", client.clientId(), message.topic(), e);
            return false;
        }
    }

    /** Whether a session may receive what is published on a topic. */
    public boolean mayReceive(Subscriber subscriber, String topic) {
        if (authorizer.equals(Authorizer.allowAll())) {
            return true; // without an object for each of a million sessions
        }
        try {
            return authorizer.mayReceive(subscriber.client(), topic);
        } catch (RuntimeException e) {
            LOG.debug("authorizer failed: {} may not receive {}", subscriber.clientId(), topic, e);
            return false;
        }
    }

    /** Whether a message could not come from a client, for it is too large: no log has to take it. */
    boolean isTooLarge(Message message) {
        return MessageFormat.largestSizeOf(message) > largestPacketBytes
                && MessageFormat.sizeOf(message) > largestPacketBytes + NAMES_BYTES;
    }

    /** The interceptors' decision on a client's message. */
    Decision intercept(ClientInfo publisher, Message message) {
        Message current = message;
        for (int i = 0; i < interceptors.size(); i++) {
            switch (ask(interceptors.get(i), publisher, current)) {
                case Proceed(Message changed) -> current = changed;
                case Decision end -> {
                    return end;
                }
            }
        }
        return !interceptors.isEmpty() && isTooLarge(current)
                ? new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor made the message too large")
                : new Proceed(current);
    }

    private static Decision ask(PublishInterceptor interceptor, ClientInfo publisher, Message message) {
        try {
            return Objects.requireNonNull(interceptor.onPublish(publisher, message), "no decision");
        } catch (RuntimeException e) {
            LOG.warn("publish interceptor failed on a message of {}", publisher.clientId(), e);
            return new Refuse(ReasonCode.IMPLEMENTATION_SPECIFIC_ERROR, "an interceptor failed");
        }
    }
}
