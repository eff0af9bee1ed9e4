package io.tributary.cluster.redis;

/**
 * Redis could not be reached, did not answer in time, or refused a call for another reason than a newer owner. Whether
 * the call took effect is not known; every call may be repeated.
 */
public final class RedisStoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one that was caused by another failure. */
    public RedisStoreException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Creates one. */
    public RedisStoreException(String message) {
        super(message);
    }
}
