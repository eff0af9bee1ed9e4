package io.tributary.cluster.kafka.layout;

import io.tributary.cluster.kafka.layout.LayoutEvent.Abandoned;
import io.tributary.cluster.kafka.layout.LayoutEvent.Begun;
import io.tributary.cluster.kafka.layout.LayoutEvent.Switched;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;

/** The encoding of {@link LayoutEvent}s: a format byte, a type byte, then the components in their order. */
final class LayoutCodec {
    static final int FORMAT = 1;

    private static final int BEGUN = 1;
    private static final int SWITCHED = 2;
    private static final int ABANDONED = 3;
    private static final int SIZE_HINT = 24;

    private LayoutCodec() {}

    static byte[] encode(LayoutEvent event) {
        ByteWriter writer = new ByteWriter(SIZE_HINT);
        writer.writeByte(FORMAT);
        switch (event) {
            case Begun(int fromShards, int shards, int maxRecordBytes) -> {
                writer.writeByte(BEGUN);
                writer.writeNumber(fromShards);
                writer.writeNumber(shards);
                writer.writeNumber(maxRecordBytes);
            }
            case Switched(int generation, long base) -> {
                writer.writeByte(SWITCHED);
                writer.writeNumber(generation);
                writer.writeNumber(base);
            }
            case Abandoned(int generation) -> {
                writer.writeByte(ABANDONED);
                writer.writeNumber(generation);
            }
        }
        return writer.toBytes();
    }

    /** Decodes an event; throws {@link UnreadableRecordException} when it is none, or of a newer format. */
    static LayoutEvent decode(byte[] value) {
        ByteReader reader = new ByteReader(value);
        reader.expectFormat(FORMAT);
        int type = reader.readByte();
        LayoutEvent event = switch (type) {
            case BEGUN -> new Begun(reader.readInt(), reader.readInt(), reader.readInt());
            case SWITCHED -> new Switched(reader.readInt(), reader.readNumber());
            case ABANDONED -> new Abandoned(reader.readInt());
            default -> throw new UnreadableRecordException("there is no event " + type + " of a layout");
        };
        reader.expectEnd();
        return event;
    }
}
