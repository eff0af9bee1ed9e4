package io.tributary.perf.client;

/** The clients could not do what they were to; the message says what and why. */
public final class CrewException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what happened. */
    public CrewException(String message) {
        super(message);
    }

    /** With what happened, and why. */
    public CrewException(String message, Throwable cause) {
        super(message, cause);
    }
}
