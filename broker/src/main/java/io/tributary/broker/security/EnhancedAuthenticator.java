package io.tributary.broker.security;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.common.mqtt.ReasonCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One method of MQTT 5 enhanced authentication (section 4.12), for instance SCRAM. When it throws or a stage fails, the
 * client is refused. Thread-safe: event loops begin exchanges at the same time.
 */
public interface EnhancedAuthenticator {

    /** The authentication method that clients name, for instance {@code SCRAM-SHA-256}. */
    String method();

    /** Begins an exchange, at CONNECT or when a client authenticates again. Called on an event loop: must not block. */
    Exchange begin(ClientInfo client);

    /** The same, for one that has not enough for all at once: {@link Authenticator#authenticate}. */
    default Exchange begin(ClientInfo client, Asker asker) {
        return begin(client);
    }

    /** One exchange of AUTH packets with one client. Calls come one after the other, on the client's event loop. */
    interface Exchange {
        /** Takes the client's authentication data, from CONNECT or AUTH, and says what is next. Must not block. */
        CompletionStage<Step> next(byte @Nullable [] data);
    }

    /** What the broker answers. */
    sealed interface Step {}

    /** Another AUTH with this data goes to the client. */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Continue(byte @Nullable [] data) implements Step {}

    /**
     * The client is who it says.
     *
     * @param data goes into CONNACK or the last AUTH
     * @param accepted who it is. At CONNECT all of it counts; a client that authenticates again has to be the same
     *     principal as before, or its connection ends, and gets a new end
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
    record Success(byte @Nullable [] data, Accepted accepted) implements Step {

        /** The client is who it says by its user name, and the configured rules say what kind it is. */
        public Success(byte @Nullable [] data) {
            this(data, new Accepted());
        }
    }

    /**
     * The client is refused.
     *
     * @param reason an error code that CONNACK and DISCONNECT may carry
     * @param message words for the developer of the client, or null
     * @param user the user that the client wanted to be, by the one user name that it goes by: failures of users are
     *     counted by it. Null where it has not said so, whatever user name is in CONNECT
     */
    record Failure(
            ReasonCode reason,
            @Nullable String message,
            @Nullable String user) implements Step {

        /** One of a client that has not said which user it wants to be. */
        public Failure(ReasonCode reason, @Nullable String message) {
            this(reason, message, null);
        }
    }

    /** A stage that has the step already. */
    static CompletionStage<Step> answer(Step step) {
        return CompletableFuture.completedFuture(step);
    }
}
