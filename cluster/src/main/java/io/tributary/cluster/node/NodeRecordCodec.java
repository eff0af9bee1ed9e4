package io.tributary.cluster.node;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;
import java.util.Set;

/**
 * The encoding of the node table's values: a format byte, then the components in their order. The nodes of a cluster
 * may run different versions, and must read each other's records whatever else they read, so the first format stays the
 * one that is written. A later version may write more behind its components; an earlier one reads as far as it knows.
 */
final class NodeRecordCodec {
    /** The newest format that this version reads, and the one it writes. */
    static final int FORMAT = 1;

    private static final int SIZE_HINT = 64;

    private NodeRecordCodec() {}

    static byte[] encode(NodeRecord node) {
        ByteWriter writer = new ByteWriter(SIZE_HINT);
        writer.writeByte(FORMAT);
        writer.writeNumber(node.incarnation());
        writer.writeString(node.host());
        writer.writeNumber(node.port());
        writer.writeNumber(node.format());
        writer.writeNumber(node.written());
        writer.writeByte(node.state().code());
        writer.writeNumber(node.heartbeat());
        writer.writeSigned(node.writtenMillis());
        writer.writeNumber(node.links());
        ShardPart part = node.part();
        writer.writeBoolean(part.isWilling());
        writer.writeBoolean(part.isSteady());
        writer.writeNumber(part.seen());
        writeShards(writer, part.keeps());
        writeShards(writer, part.prepares());
        writer.writeList(part.suspects(), Assignment::write);
        return writer.toBytes();
    }

    /**
     * Decodes a value.
     *
     * @throws UnreadableRecordException when the bytes are no record of a node, or one of a newer format
     */
    static NodeRecord decode(byte[] value) {
        ByteReader reader = new ByteReader(value);
        reader.expectFormat(FORMAT);
        try {
            return new NodeRecord(
                    reader.readNumber(),
                    reader.readString(),
                    reader.readInt(),
                    reader.readInt(),
                    reader.readInt(),
                    readState(reader),
                    reader.readNumber(),
                    reader.readSigned(),
                    reader.readInt(),
                    new ShardPart(
                            reader.readBoolean(),
                            reader.readBoolean(),
                            reader.readNumber(),
                            Set.copyOf(reader.readList(ByteReader::readInt)),
                            Set.copyOf(reader.readList(ByteReader::readInt)),
                            reader.readList(Assignment::read)));
        } catch (IllegalArgumentException e) {
            throw new UnreadableRecordException("no record of a node: " + e.getMessage());
        }
    }

    /** In their order, so that equal records are equal bytes. */
    private static void writeShards(ByteWriter writer, Set<Integer> shards) {
        writer.writeList(shards.stream().sorted().toList(), (to, shard) -> to.writeNumber(shard));
    }

    private static NodeState readState(ByteReader reader) {
        int code = reader.readByte();
        for (NodeState state : NodeState.values()) {
            if (state.code() == code) {
                return state;
            }
        }
        throw new UnreadableRecordException("there is no state " + code + " of a node");
    }
}
