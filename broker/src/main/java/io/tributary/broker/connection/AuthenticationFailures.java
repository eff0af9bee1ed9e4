package io.tributary.broker.connection;

import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.ReasonCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a CONNECT or AUTH is refused: the authenticator denied it, or failed. */
final class AuthenticationFailures {
    private static final Logger LOG = LoggerFactory.getLogger(AuthenticationFailures.class);

    private AuthenticationFailures() {}

    /** The authenticator denied the client; a reason code that is no error counts as "not authorised". */
    static MqttException refused(ReasonCode reason, @Nullable String words) {
        ReasonCode error = reason.isError() ? reason : ReasonCode.NOT_AUTHORIZED;
        return new MqttException(error, words == null ? "not authenticated" : words);
    }

    /** Whether the client may have guessed: other reasons say nothing of a password. */
    static boolean isGuess(MqttException why) {
        return why.reason() == ReasonCode.BAD_USER_NAME_OR_PASSWORD || why.reason() == ReasonCode.NOT_AUTHORIZED;
    }

    /** The authenticator itself failed: the client is refused, and may try again. */
    static MqttException unavailable(@Nullable Throwable failure) {
        LOG.warn("an authenticator failed, its client is refused", failure);
        return new MqttException(ReasonCode.SERVER_UNAVAILABLE, "authentication is not available");
    }
}
