package io.tributary.cluster.kafka;

/**
 * Kafka cannot be reached, is not set up as it must be, or could not do what it was asked for; the message says why.
 */
public final class KafkaAccessException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one that was caused by another failure. */
    public KafkaAccessException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Creates one. */
    public KafkaAccessException(String message) {
        super(message);
    }
}
