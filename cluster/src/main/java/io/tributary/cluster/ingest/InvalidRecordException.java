package io.tributary.cluster.ingest;

/** A record that is no message: the message says why. */
final class InvalidRecordException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidRecordException(String reason) {
        super(reason);
    }
}
