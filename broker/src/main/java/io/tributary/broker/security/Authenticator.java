package io.tributary.broker.security;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a client may connect. When it throws or its stage fails, the client is refused. Thread-safe: event
 * loops ask it at the same time.
 */
@FunctionalInterface
public interface Authenticator {

    /**
     * Checks a CONNECT. Called on an event loop: it must not block; what takes time belongs into the stage.
     *
     * @param client the client; its identifier is empty when the broker is to assign one
     * @param password the password, or null; not to be kept
     */
    CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password);

    /**
     * The same, for one that has not enough for all at once: it need not work for a client that is gone, and can have
     * addresses take turns.
     */
    default CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
        return authenticate(client, password);
    }

    /** The answer to a CONNECT. */
    sealed interface Result {}

    /**
     * The client may connect.
     *
     * @param kind what kind of client it is, whatever the configured rules say; null to leave it to them
     * @param principal who it is; null for {@link Principal#ofUser} of its user name, which this answer then says to be
     *     right
     * @param end when this is over: the client is disconnected then (0x87), and its will published, unless it has
     *     authenticated again; null for never
     * @param attributes what else is known of it; at most {@link #MAX_ATTRIBUTES}, in UTF-8
     *     {@link #MAX_ATTRIBUTE_BYTES} together
     * @param credential which of the principal's credentials it has shown, by a name that is no secret, where one may
     *     be withdrawn while others stay: the id of a device token. Null else
     */
    record Accepted(
            @Nullable ClientKind kind,
            @Nullable Principal principal,
            @Nullable Instant end,
            Map<String, String> attributes,
            @Nullable String credential)
            implements Result {
        /** How many attributes there may be. */
        public static final int MAX_ATTRIBUTES = 16;

        /** How many bytes the attributes' names and values may have together. */
        public static final int MAX_ATTRIBUTE_BYTES = 1024;

        /**
         * Copies the map.
         *
         * @throws IllegalArgumentException when there are too many attributes, or they are too long
         */
        public Accepted {
            attributes = Map.copyOf(attributes);
            int bytes = attributes.entrySet().stream()
                    .mapToInt(each -> utf8Length(each.getKey()) + utf8Length(each.getValue()))
                    .sum();
            if (attributes.size() > MAX_ATTRIBUTES || bytes > MAX_ATTRIBUTE_BYTES) {
                throw new IllegalArgumentException("there are " + attributes.size() + " attributes of " + bytes
                        + " bytes: at most " + MAX_ATTRIBUTES + " of " + MAX_ATTRIBUTE_BYTES);
            }
        }

        /** The client may connect, by no credential that has a name. */
        public Accepted(
                @Nullable ClientKind kind,
                @Nullable Principal principal,
                @Nullable Instant end,
                Map<String, String> attributes) {
            this(kind, principal, end, attributes, null);
        }

        /** The client may connect, its principal is its user name, and the rules say what kind it is. */
        public Accepted() {
            this(null, null);
        }

        /** The client may connect, and its principal is its user name. */
        public Accepted(@Nullable ClientKind kind) {
            this(kind, null);
        }

        /** The client may connect for as long as it likes, and nothing else is known of it. */
        public Accepted(@Nullable ClientKind kind, @Nullable Principal principal) {
            this(kind, principal, null, Map.of());
        }

        private static int utf8Length(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }
    }

    /**
     * The client may not connect.
     *
     * @param reason an error code that CONNACK may carry
     * @param message words for the developer of the client, or null; an {@link AuthenticatorChain} puts them into the
     *     log and keeps them from the client
     * @param inside why, in words that are for operators and not for the client, or null
     * @param user the user that the client asked for, by the one user name that it goes by: failures of users are
     *     counted by it. Null where that is the user name in CONNECT
     */
    record Refused(
            ReasonCode reason,
            @Nullable String message,
            @Nullable String inside,
            @Nullable String user) implements Result {

        /** One of which operators hear what the client hears. */
        public Refused(ReasonCode reason, @Nullable String message) {
            this(reason, message, null);
        }

        /** One for the user name in CONNECT. */
        public Refused(ReasonCode reason, @Nullable String message, @Nullable String inside) {
            this(reason, message, inside, null);
        }
    }

    /**
     * The authenticator does not know the client: there is no such user, no certificate, no token. In an
     * {@link AuthenticatorChain} the next one is asked; else it is a refusal.
     *
     * @param pretence what takes as long as a wrong password of a known user; done before the client is refused, when
     *     nobody else knows it either, so that the time does not say which names there are. Null where there is no
     *     difference
     */
    record NotMine(@Nullable Supplier<CompletionStage<?>> pretence) implements Result {

        /** Nothing is to be pretended. */
        public static final NotMine PLAIN = new NotMine(null);
    }

    /** A stage that has the answer already. */
    static CompletionStage<Result> answer(Result result) {
        return CompletableFuture.completedFuture(result);
    }
}
