package io.tributary.persistence.rocksdb;

/** The embedded store cannot be opened, or could not do what it was asked for; the message says why, in words. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one that was caused by another failure. */
    public StorageException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Creates one. */
    public StorageException(String message) {
        super(message);
    }
}
