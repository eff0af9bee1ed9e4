package io.tributary.perf.target;

/** A broker cannot be measured; the message says why, and what to install where something is missing. */
public final class TargetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With why. */
    public TargetException(String message) {
        super(message);
    }

    /** With why, and what happened. */
    public TargetException(String message, Throwable cause) {
        super(message, cause);
    }
}
