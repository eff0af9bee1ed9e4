package io.tributary.broker.security.store;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a table: an object, or that there is none any more, which is kept for a while so that an older entry
 * which comes late is known to be older.
 *
 * @param stamp when it was written
 * @param changedMillis the time of that, in milliseconds since the epoch
 * @param body the encoded object; null for none. Not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record StoredEntry(Stamp stamp, long changedMillis, byte @Nullable [] body) {
    private static final int OVERHEAD_BYTES = 24;

    byte[] encode(int format) {
        ByteWriter to = new ByteWriter(OVERHEAD_BYTES + (body == null ? 0 : body.length));
        to.writeByte(format);
        to.writeNumber(stamp.epoch());
        to.writeNumber(stamp.version());
        to.writeNumber(changedMillis);
        to.writeBoolean(body != null);
        if (body != null) {
            to.writeBytes(body);
        }
        return to.toBytes();
    }

    /** Throws {@link UnreadableRecordException}. */
    static StoredEntry decode(byte[] bytes, int newestFormat) {
        ByteReader from = new ByteReader(bytes);
        from.expectFormat(newestFormat);
        Stamp stamp = new Stamp(from.readNumber(), from.readNumber());
        StoredEntry entry = new StoredEntry(stamp, from.readNumber(), from.readBoolean() ? from.readBytes() : null);
        from.expectEnd();
        return entry;
    }
}
