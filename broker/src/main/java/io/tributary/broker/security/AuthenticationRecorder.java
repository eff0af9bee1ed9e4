package io.tributary.broker.security;

/** Counts what authenticators say. Any thread; must be cheap. */
@FunctionalInterface
public interface AuthenticationRecorder {

    /** Counts nothing. */
    AuthenticationRecorder NONE = (authenticator, outcome) -> {};

    /** What an authenticator said of a client. */
    enum Outcome {
        /** The client is who it says. */
        ACCEPTED,
        /** The client is not, or may not connect. */
        REFUSED,
        /** The authenticator does not know the client. */
        NOT_MINE,
        /** The authenticator could not decide: what it asks failed, or was too slow. */
        UNAVAILABLE,
        /** The authenticator has too much to do. */
        BUSY
    }

    /**
     * An authenticator has said what it thinks of a client.
     *
     * @param authenticator its name, or {@link AuthenticatorChain#ANONYMOUS}, {@link AuthenticatorChain#NOBODY}
     */
    void authenticated(String authenticator, Outcome outcome);
}
