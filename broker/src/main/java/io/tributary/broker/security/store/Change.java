package io.tributary.broker.security.store;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * A change that somebody wants.
 *
 * @param table the table
 * @param id the object
 * @param condition what must hold for the change to be made
 * @param body the encoded object, null to remove it; not to be changed
 * @param by who wants it, for the audit log
 * @param from where that one is, for the audit log
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record Change(
        SecurityTable table, String id, Condition condition, byte @Nullable [] body, String by, String from) {
    /** Who does what nobody asked for. In brackets, for no administrator can have such a name. */
    public static final String BROKER = "(broker)";

    /** Who makes automatic bans, and takes them away when they are over. */
    private static final String GUARD = "(guard)";

    private static final int ABSENT = 0;
    private static final int PRESENT = 1;
    private static final int IS = 2;

    /** What must hold. */
    public sealed interface Condition {
        /** Whether it holds for what is there, null for nothing. */
        boolean holds(@Nullable Stamp there);
    }

    /** There is no object with the id. */
    public record Absent() implements Condition {
        @Override
        public boolean holds(@Nullable Stamp there) {
            return there == null;
        }
    }

    /** There is one. */
    public record Present() implements Condition {
        @Override
        public boolean holds(@Nullable Stamp there) {
            return there != null;
        }
    }

    /** There is the one that was written then. */
    public record Is(Stamp stamp) implements Condition {
        @Override
        public boolean holds(@Nullable Stamp there) {
            return stamp.equals(there);
        }
    }

    /** A change that puts an object. */
    public static Change put(SecurityObject object, Condition condition, String by, String from) {
        return new Change(object.table(), object.id(), condition, SecurityCodec.encode(object), by, from);
    }

    /** A change that puts a ban which a node has made by itself. */
    public static Change automatic(Ban ban, Condition condition) {
        return put(ban, condition, GUARD, "");
    }

    /** A change that removes such a ban. */
    public static Change removeAutomatic(String id, Condition condition) {
        return remove(SecurityTable.BANS, id, condition, GUARD, "");
    }

    /**
     * Whether it is about bans that nodes make by themselves. Strangers cause them, so they have no place in the audit
     * log, where they would leave none for what people do.
     */
    boolean isAutomatic() {
        return table == SecurityTable.BANS && by.equals(GUARD);
    }

    /** A change that removes one. */
    public static Change remove(SecurityTable table, String id, Condition condition, String by, String from) {
        return new Change(table, id, condition, null, by, from);
    }

    byte[] encode() {
        ByteWriter to = new ByteWriter(64 + (body == null ? 0 : body.length));
        to.writeString(table.mapName());
        to.writeString(id);
        switch (condition) {
            case Absent() -> to.writeByte(ABSENT);
            case Present() -> to.writeByte(PRESENT);
            case Is(Stamp stamp) -> {
                to.writeByte(IS);
                to.writeNumber(stamp.epoch());
                to.writeNumber(stamp.version());
            }
        }
        to.writeBoolean(body != null);
        if (body != null) {
            to.writeBytes(body);
        }
        to.writeString(by);
        to.writeString(from);
        return to.toBytes();
    }

    static Change decode(byte[] bytes) {
        ByteReader from = new ByteReader(bytes);
        String name = from.readString();
        SecurityTable table =
                SecurityTable.named(name).orElseThrow(() -> new UnreadableRecordException("there is no map " + name));
        Change change = new Change(
                table,
                from.readString(),
                condition(from),
                from.readBoolean() ? from.readBytes() : null,
                from.readString(),
                from.readString());
        from.expectEnd();
        return change;
    }

    private static Condition condition(ByteReader from) {
        int kind = from.readByte();
        return switch (kind) {
            case ABSENT -> new Absent();
            case PRESENT -> new Present();
            case IS -> new Is(new Stamp(from.readNumber(), from.readNumber()));
            default -> throw new UnreadableRecordException("condition " + kind);
        };
    }
}
