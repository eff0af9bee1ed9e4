package io.tributary.cluster.reshard;

import org.jspecify.annotations.Nullable;

/** The shards cannot be changed, in words for the operator; what was begun is begun anew by the next call. */
public final class ReshardException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ReshardException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    ReshardException(String message) {
        this(message, null);
    }
}
