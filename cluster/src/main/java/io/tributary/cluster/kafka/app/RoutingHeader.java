package io.tributary.cluster.kafka.app;

import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of the {@code tributary} header, which says how a message is to be delivered: a format byte, a byte of
 * flags, how many standard headers follow, and what the flags tell of. Numbers are varints.
 *
 * <pre>
 * 0x03 QoS towards the recipient  0x04 retain  0x08 subscription identifiers  0x10 client identifier
 * 0x20 group                      0x40 source  0x80 recipient
 * </pre>
 *
 * @param standardHeaders how many of the headers behind this one are the standard ones
 * @param recipient for whom the message is, or null when the topic alone says so
 * @param source where it was forwarded from, or null
 */
record RoutingHeader(
        int standardHeaders,
        @Nullable Recipient recipient,
        @Nullable Source source) {

    private static final int QOS = 0x03;
    private static final int RETAIN = 0x04;
    private static final int SUBSCRIPTION_IDS = 0x08;
    private static final int CLIENT_ID = 0x10;
    private static final int GROUP = 0x20;
    private static final int SOURCE = 0x40;
    private static final int RECIPIENT = 0x80;

    private static final int SMALL = 32;

    /** The bytes; a recipient's client identifier is among them only if its topic is one that clients share. */
    byte[] encode(int format) {
        ByteWriter writer = new ByteWriter(SMALL);
        writer.writeByte(format);
        writer.writeByte((source == null ? 0 : SOURCE) | (recipient == null ? 0 : flags(recipient)));
        writer.writeNumber(standardHeaders);
        if (recipient != null) {
            writeRecipient(writer, recipient);
        }
        if (source != null) {
            writer.writeNumber(source.shard());
            writer.writeNumber(source.offset());
            writer.writeNumber(source.part());
        }
        return writer.toBytes();
    }

    /**
     * Reads the bytes.
     *
     * @param owner the client whose topic it is, or null when it is nobody's own
     * @throws UnreadableRecordException when they are not such a header, or one of a newer format
     */
    static RoutingHeader decode(byte[] bytes, @Nullable String owner) {
        ByteReader reader = new ByteReader(bytes);
        reader.expectFormat(RecordFormat.NEWEST);
        int flags = reader.readByte();
        int standardHeaders = reader.readInt();
        Recipient recipient = (flags & RECIPIENT) == 0 ? null : readRecipient(reader, flags, owner);
        Source source =
                (flags & SOURCE) == 0 ? null : new Source(reader.readInt(), reader.readNumber(), reader.readInt());
        reader.expectEnd();
        return new RoutingHeader(standardHeaders, recipient, source);
    }

    private static int flags(Recipient recipient) {
        return RECIPIENT
                | recipient.qos().code()
                | (recipient.retain() ? RETAIN : 0)
                | (recipient.subscriptionIds().isEmpty() ? 0 : SUBSCRIPTION_IDS)
                | (isNamed(recipient) ? CLIENT_ID : 0)
                | (recipient.group() == null ? 0 : GROUP);
    }

    private static boolean isNamed(Recipient recipient) {
        return recipient.kind() == ClientKind.SMALL_APPLICATION;
    }

    private static void writeRecipient(ByteWriter writer, Recipient recipient) {
        writer.writeNumber(recipient.session());
        if (!recipient.subscriptionIds().isEmpty()) {
            writer.writeList(recipient.subscriptionIds(), (out, id) -> out.writeNumber(id));
        }
        if (isNamed(recipient)) {
            writer.writeString(recipient.clientId());
        }
        if (recipient.group() != null) {
            writer.writeString(recipient.group());
        }
    }

    private static Recipient readRecipient(ByteReader reader, int flags, @Nullable String owner) {
        if ((flags & QOS) == QOS) {
            throw new UnreadableRecordException("QoS 3");
        }
        long session = reader.readNumber();
        List<Integer> subscriptionIds =
                (flags & SUBSCRIPTION_IDS) == 0 ? List.of() : reader.readList(ByteReader::readInt);
        String named = (flags & CLIENT_ID) == 0 ? null : reader.readString();
        String clientId = named == null ? owner : named;
        if (clientId == null) {
            throw new UnreadableRecordException("a recipient without a client identifier");
        }
        return new Recipient(
                clientId,
                session,
                QoS.of(flags & QOS),
                (flags & RETAIN) != 0,
                subscriptionIds,
                (flags & GROUP) == 0 ? null : reader.readString(),
                named == null ? ClientKind.APPLICATION : ClientKind.SMALL_APPLICATION);
    }
}
