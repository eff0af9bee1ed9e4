package io.tributary.perf.run;

/** A run could not be carried out; the message says what happened. */
public final class RunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what happened. */
    public RunException(String message) {
        super(message);
    }

    /** With what happened, and why. */
    public RunException(String message, Throwable cause) {
        super(message, cause);
    }
}
