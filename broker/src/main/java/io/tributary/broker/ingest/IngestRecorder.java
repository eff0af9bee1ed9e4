package io.tributary.broker.ingest;

/** Counts what becomes of records that back-ends produced. Any thread; must not block. */
public interface IngestRecorder {

    /** Counts nothing. */
    IngestRecorder NONE = new IngestRecorder() {};

    /** What became of a record. */
    enum Outcome {
        /** It is safe for everyone it matched, if there was anybody. */
        PUBLISHED,
        /** It may not be published: not authorised, or there are too many retained messages. */
        REFUSED,
        /** It is no message. */
        INVALID,
        /** It had expired before it was read. */
        EXPIRED,
        /** It could not be made safe, and is read again. */
        FAILED
    }

    /** A record was taken. */
    default void read() {}

    /** A record is done with, for now. */
    default void done(Outcome outcome) {}
}
