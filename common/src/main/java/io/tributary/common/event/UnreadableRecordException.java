package io.tributary.common.event;

/** Bytes that are not a record this version can read: cut off, damaged, or written in a newer format. */
public final class UnreadableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates one that says what is wrong with the bytes. */
    public UnreadableRecordException(String message) {
        super(message);
    }
}
