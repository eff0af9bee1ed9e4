package io.tributary.broker.connection;

/** A listener cannot listen; the message says which, where, and why. */
public final class ListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ListenException(ListenerConfig config, Throwable cause) {
        super(
                "listener " + config.name() + ": cannot listen on host=" + config.host() + ", port=" + config.port()
                        + ": " + cause.getMessage(),
                cause);
    }
}
