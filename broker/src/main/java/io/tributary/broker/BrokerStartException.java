package io.tributary.broker;

import org.jspecify.annotations.Nullable;

/** A broker could not start; the message says which setting is at fault, its value, and why. */
public final class BrokerStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one with words for the operator. */
    public BrokerStartException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
