package io.tributary.cluster.link;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.UnreadableRecordException;

/**
 * What two nodes send each other before they know each other. The bytes of {@link Hello} and {@link Refused} stay as
 * they are in all versions, for they say which versions there are.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
sealed interface HandshakeMessage {
    /** How large a message can be: two names, a cluster and a few numbers fit. */
    int MAX_BYTES = 1_024;

    /** How many random bytes each side contributes, so that no old proof counts. */
    int NONCE_BYTES = 32;

    /** How many bytes a proof has. */
    int PROOF_BYTES = 32;

    /** From the dialer: who it is, whom it means, and the versions that it knows. */
    record Hello(int minVersion, int maxVersion, String clusterId, NodeId from, NodeId to, byte[] nonce)
            implements HandshakeMessage {}

    /** From the acceptor: the version that both use. */
    record Challenge(int version, byte[] nonce) implements HandshakeMessage {}

    /** From the dialer: it knows the secret. */
    record Proof(byte[] proof) implements HandshakeMessage {}

    /** From the acceptor: it knows the secret, too, and the link is up. */
    record Welcome(byte[] proof) implements HandshakeMessage {}

    /** From the acceptor, in place of an answer: why there is no link, and the versions that it knows. */
    record Refused(int code, int minVersion, int maxVersion) implements HandshakeMessage {}

    /** Encodes the message. */
    default byte[] encode() {
        ByteWriter writer = new ByteWriter(128);
        switch (this) {
            case Hello hello -> {
                writer.writeByte(Type.HELLO);
                writer.writeNumber(Type.MAGIC);
                writer.writeNumber(hello.minVersion);
                writer.writeNumber(hello.maxVersion);
                writer.writeString(hello.clusterId);
                writeNode(writer, hello.from);
                writeNode(writer, hello.to);
                writer.writeBytes(hello.nonce);
            }
            case Challenge challenge -> {
                writer.writeByte(Type.CHALLENGE);
                writer.writeNumber(challenge.version);
                writer.writeBytes(challenge.nonce);
            }
            case Proof proof -> {
                writer.writeByte(Type.PROOF);
                writer.writeBytes(proof.proof);
            }
            case Welcome welcome -> {
                writer.writeByte(Type.WELCOME);
                writer.writeBytes(welcome.proof);
            }
            case Refused refused -> {
                writer.writeByte(Type.REFUSED);
                writer.writeNumber(refused.code);
                writer.writeNumber(refused.minVersion);
                writer.writeNumber(refused.maxVersion);
            }
        }
        return writer.toBytes();
    }

    /**
     * Decodes a message.
     *
     * @throws UnreadableRecordException when the bytes are none
     */
    static HandshakeMessage decode(byte[] bytes) {
        ByteReader reader = new ByteReader(bytes);
        int type = reader.readByte();
        HandshakeMessage message = switch (type) {
            case Type.HELLO -> readHello(reader);
            case Type.CHALLENGE -> new Challenge(reader.readInt(), readExactly(reader, NONCE_BYTES));
            case Type.PROOF -> new Proof(readExactly(reader, PROOF_BYTES));
            case Type.WELCOME -> new Welcome(readExactly(reader, PROOF_BYTES));
            case Type.REFUSED -> new Refused(reader.readInt(), reader.readInt(), reader.readInt());
            default -> throw new UnreadableRecordException("there is no handshake message of type " + type);
        };
        reader.expectEnd();
        return message;
    }

    private static Hello readHello(ByteReader reader) {
        if (reader.readNumber() != Type.MAGIC) {
            throw new UnreadableRecordException("not the protocol of links");
        }
        return new Hello(
                reader.readInt(),
                reader.readInt(),
                reader.readString(),
                readNode(reader),
                readNode(reader),
                readExactly(reader, NONCE_BYTES));
    }

    private static void writeNode(ByteWriter writer, NodeId node) {
        writer.writeString(node.name());
        writer.writeNumber(node.incarnation());
    }

    private static NodeId readNode(ByteReader reader) {
        String name = reader.readString();
        long incarnation = reader.readNumber();
        if (!NodeId.isName(name) || incarnation < 0) {
            throw new UnreadableRecordException("no node can be called so");
        }
        return new NodeId(name, incarnation);
    }

    private static byte[] readExactly(ByteReader reader, int count) {
        byte[] bytes = reader.readBytes();
        if (bytes.length != count) {
            throw new UnreadableRecordException(bytes.length + " bytes where " + count + " belong");
        }
        return bytes;
    }

    /** The first byte of each message. */
    final class Type {
        static final int HELLO = 1;
        static final int CHALLENGE = 2;
        static final int PROOF = 3;
        static final int WELCOME = 4;
        static final int REFUSED = 5;
        static final long MAGIC = 0x54524942; // "TRIB"

        private Type() {}
    }
}
