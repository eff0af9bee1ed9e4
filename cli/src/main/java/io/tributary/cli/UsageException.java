package io.tributary.cli;

/** A command was called in a way that it does not know; the message says what it wants. The exit code is 2. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Without another failure behind it. */
    public UsageException(String message) {
        super(message);
    }

    /** Because of another failure. */
    public UsageException(String message, Throwable cause) {
        super(message, cause);
    }
}
