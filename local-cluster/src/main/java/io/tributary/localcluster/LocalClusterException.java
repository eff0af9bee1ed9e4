package io.tributary.localcluster;

/** A part of the local cluster did not do what it should; the message says which one and shows the end of its log. */
public final class LocalClusterException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what went wrong. */
    public LocalClusterException(String message) {
        super(message);
    }

    /** With what went wrong and why. */
    public LocalClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
