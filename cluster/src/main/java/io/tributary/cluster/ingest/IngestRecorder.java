package io.tributary.cluster.ingest;

import java.time.Duration;

/** Counts outcomes of records that back-ends produced. Any thread; must not block. */
public interface IngestRecorder {

    /** Counts nothing. */
    IngestRecorder NONE = new IngestRecorder() {};

    /** The outcome of a record. */
    enum Outcome {
        /** The message is safe for every session it matched, if there was any. */
        PUBLISHED,
        /** The record may not be published: not authorised, or there are too many retained messages. */
        REFUSED,
        /** The record is no message. */
        INVALID,
        /** The message had expired before it was read. */
        EXPIRED,
        /** The message could not be made safe, and the record is read again. */
        FAILED
    }

    /** A record was taken. */
    default void read() {}

    /** A record is published that was produced so long ago. */
    default void delay(Duration age) {}

    /** A record is done with, for now. */
    default void done(Outcome outcome) {}
}
