package io.tributary.broker.extension;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Objects;

/**
 * Sees every message that a client publishes, after it was authorised and before it is matched; and each will at
 * CONNECT, after it was authorised and before {@link ClientListener#onConnected}, whether it is published later or not.
 * Thread-safe: event loops call it at the same time; messages of one client come in their order.
 */
@FunctionalInterface
public interface PublishInterceptor {

    /**
     * Decides on a message: to pass it on, to change it, to drop it or to refuse it. Called on the publisher's event
     * loop: it must not block. When it throws, the message is refused with 0x83.
     *
     * <p>Another topic of a will is one that the authorizer is asked about when the will is published.
     */
    Decision onPublish(ClientInfo publisher, Message message);

    /** What becomes of a message. */
    sealed interface Decision {}

    /** The message goes on, as it is or changed. */
    record Proceed(Message message) implements Decision {
        public Proceed {
            Objects.requireNonNull(message, "message");
        }
    }

    /**
     * The message is acknowledged as if no session subscribed to its topic, and goes nowhere. The client connects
     * without its will.
     */
    record Drop() implements Decision {}

    /**
     * The message is refused; in MQTT 3, which cannot say so, it is acknowledged and goes nowhere. With its will the
     * client's CONNECT is refused.
     *
     * @param reason what a PUBACK or CONNACK may say; one that is no error counts as 0x83
     * @param message words for the developer of the client
     */
    record Refuse(ReasonCode reason, String message) implements Decision {
        public Refuse {
            Objects.requireNonNull(reason, "reason");
        }
    }
}
