package io.tributary.broker.security;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Decides whether a client may connect. When it throws or its stage fails, the client is refused. */
@FunctionalInterface
public interface Authenticator {

    /**
     * Checks a CONNECT. Called on an event loop: it must not block; what takes time belongs into the stage.
     *
     * @param client the client; its identifier is empty when the broker is to assign one
     * @param password the password, or null; not to be kept
     */
    CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password);

    /** The answer to a CONNECT. */
    sealed interface Result {}

    /**
     * The client may connect.
     *
     * @param kind what kind of client it is, whatever the configured rules say; null to leave it to them
     * @param principal who it is; null for {@link Principal#ofUser} of its user name, which this answer then says to be
     *     right
     */
    record Accepted(@Nullable ClientKind kind, @Nullable Principal principal) implements Result {

        /** The client may connect, its principal is its user name, and the rules say what kind it is. */
        public Accepted() {
            this(null, null);
        }

        /** The client may connect, and its principal is its user name. */
        public Accepted(@Nullable ClientKind kind) {
            this(kind, null);
        }
    }

    /**
     * The client may not connect.
     *
     * @param reason an error code that CONNACK may carry
     * @param message words for the developer of the client, or null
     */
    record Refused(ReasonCode reason, @Nullable String message) implements Result {}
}
