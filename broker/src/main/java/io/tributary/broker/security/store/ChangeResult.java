package io.tributary.broker.security.store;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import org.jspecify.annotations.Nullable;

/** What became of a change. */
public sealed interface ChangeResult {

    /** It is durable, and every live node has it. */
    record Done(Stamp stamp) implements ChangeResult {}

    /**
     * Its condition does not hold; nothing was changed.
     *
     * @param there what is there, null for nothing
     */
    record Conflict(@Nullable Stamp there) implements ChangeResult {}

    /** It cannot be made; nothing was changed. */
    record Refused(String why) implements ChangeResult {}

    /** It cannot be made now; nothing was changed, and it may be tried again. */
    record NotNow(String why) implements ChangeResult {}

    /** Nobody knows whether it was made: look, and try again. */
    record Unknown(String why) implements ChangeResult {}

    /** Its bytes, for another node. */
    private static int kind(ChangeResult result) {
        return switch (result) {
            case Done _ -> 0;
            case Conflict _ -> 1;
            case Refused _ -> 2;
            case NotNow _ -> 3;
            case Unknown _ -> 4;
        };
    }

    /** Its bytes, for another node. */
    static byte[] encode(ChangeResult result) {
        ByteWriter to = new ByteWriter(64);
        to.writeByte(kind(result));
        switch (result) {
            case Done(Stamp stamp) -> write(to, stamp);
            case Conflict(Stamp there) -> {
                to.writeBoolean(there != null);
                if (there != null) {
                    write(to, there);
                }
            }
            case Refused(String why) -> to.writeString(why);
            case NotNow(String why) -> to.writeString(why);
            case Unknown(String why) -> to.writeString(why);
        }
        return to.toBytes();
    }

    /** The result that has these bytes. */
    static ChangeResult decode(byte[] bytes) {
        ByteReader from = new ByteReader(bytes);
        int kind = from.readByte();
        ChangeResult result = switch (kind) {
            case 0 -> new Done(readStamp(from));
            case 1 -> new Conflict(from.readBoolean() ? readStamp(from) : null);
            case 2 -> new Refused(from.readString());
            case 3 -> new NotNow(from.readString());
            case 4 -> new Unknown(from.readString());
            default -> throw new UnreadableRecordException("result " + kind);
        };
        from.expectEnd();
        return result;
    }

    private static void write(ByteWriter to, Stamp stamp) {
        to.writeNumber(stamp.epoch());
        to.writeNumber(stamp.version());
    }

    private static Stamp readStamp(ByteReader from) {
        return new Stamp(from.readNumber(), from.readNumber());
    }
}
