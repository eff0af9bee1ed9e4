package io.tributary.persistence.shard;

/**
 * One record of a shard's log.
 *
 * @param offset its position; each is one behind that of the record before it, so that a record that was deleted is
 *     noticed
 * @param timeMillis when the log appended it, by the log's clock; goes back within a shard only where the log's servers
 *     disagree about the time and another one has taken over
 * @param value the encoded event; not to be written to
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record LogRecord(long offset, long timeMillis, byte[] value) {}
