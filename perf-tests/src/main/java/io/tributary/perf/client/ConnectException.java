package io.tributary.perf.client;

/** A client could not connect; the message says why. */
public final class ConnectException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With why. */
    public ConnectException(String message) {
        super(message);
    }

    /** With what the client was about, and why that failed. */
    public ConnectException(String message, Throwable cause) {
        super(message, cause);
    }
}
