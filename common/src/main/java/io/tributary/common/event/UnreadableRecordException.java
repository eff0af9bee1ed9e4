package io.tributary.common.event;

/** Bytes that are not a record this version can read: cut off, damaged, or written in a newer format. */
public final class UnreadableRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isNewer;

    /** Creates one that says what is wrong with the bytes. */
    public UnreadableRecordException(String message) {
        this(message, false);
    }

    private UnreadableRecordException(String message, boolean isNewer) {
        super(message);
        this.isNewer = isNewer;
    }

    /** Of a record whose first byte is not a format that this version reads. */
    static UnreadableRecordException ofFormat(int format, int newest) {
        return new UnreadableRecordException(
                "the record has format " + format + ", and this version reads 1 to " + newest, format > newest);
    }

    /** Whether a newer version may have written it, and can read it. */
    public boolean isNewer() {
        return isNewer;
    }
}
