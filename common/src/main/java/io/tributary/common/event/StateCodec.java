package io.tributary.common.event;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of stored sessions, and of whole messages: a format byte, a type byte and the components in their order.
 * Bytes of older versions stay readable; whatever changes the bytes takes a new {@link RecordFormat}, and every
 * encoding method is told which one to write. Every decoding method throws {@link UnreadableRecordException} when the
 * bytes are not what it decodes, or of a newer format.
 */
public final class StateCodec {
    private static final int SNAPSHOT_SESSION = 65;
    private static final int QUEUED = 66;
    private static final int RELEASED = 67;
    private static final int WILL = 68;
    private static final int MESSAGE = 69;
    private static final int DELIVERY = 70;

    private static final int SMALL = 96;

    private StateCodec() {}

    /** Encodes a session without its queue. */
    public static byte[] encodeSession(StoredSession stored, int format) {
        int written = formatOf(stored, format);
        ByteWriter writer = begin(written, SNAPSHOT_SESSION, SMALL);
        writeSession(writer, stored, written);
        return writer.toBytes();
    }

    /**
     * The format in which a session is written. One that has messages with a priority is written in a format that says
     * so: there are such messages only once all live nodes read it, though this one may write an older one still.
     */
    static int formatOf(StoredSession stored, int format) {
        boolean needsPriorities =
                stored.priorityUpTo() > 0 || !stored.resendUpTo().isOfAll();
        return needsPriorities ? Math.max(format, RecordFormat.PRIORITIES) : format;
    }

    /** Decodes a session without its queue. */
    public static StoredSession decodeSession(byte[] bytes) {
        return decode(bytes, SNAPSHOT_SESSION, StateCodec::readSession);
    }

    /** Decodes so many sessions without their queues, whose bytes lie one behind the other. */
    public static List<StoredSession> decodeSessions(byte[] bytes, int count) {
        List<StoredSession> sessions = new ArrayList<>(Math.min(count, bytes.length));
        ByteReader reader = new ByteReader(bytes);
        for (int i = 0; i < count; i++) {
            expect(reader, SNAPSHOT_SESSION);
            sessions.add(readSession(reader));
        }
        reader.expectEnd();
        return sessions;
    }

    /** Encodes an entry of a queue. */
    public static byte[] encodeQueueEntry(QueueEntry entry, int format) {
        return switch (entry) {
            case Queued queued -> encodeQueued(queued, format);
            case Released() -> begin(format, RELEASED, 2).toBytes();
        };
    }

    /** Decodes an entry of a queue. */
    public static QueueEntry decodeQueueEntry(byte[] bytes) {
        if (bytes.length == 2 && bytes[1] == RELEASED) {
            return decode(bytes, RELEASED, reader -> new Released());
        }
        return decode(bytes, QUEUED, RoutingFormat::readQueued);
    }

    /** Encodes what a queued message has for its client alone: all of it but the message. */
    public static byte[] encodeDelivery(Queued queued, int format) {
        ByteWriter writer = begin(format, DELIVERY, SMALL);
        RoutingFormat.writeDelivery(
                writer, queued.qos(), queued.retain(), queued.subscriptionIds(), queued.group(), ClientKind.DEVICE);
        return writer.toBytes();
    }

    /** Decodes what a queued message has for its client alone, and gives it the message. */
    public static Queued decodeDelivery(byte[] bytes, Message message) {
        RoutingFormat.Delivery delivery = decode(bytes, DELIVERY, RoutingFormat::readDelivery);
        return new Queued(message, delivery.qos(), delivery.retain(), delivery.subscriptionIds(), delivery.group());
    }

    /**
     * Encodes a will that a connection left.
     *
     * @param due whether it is to be published whatever the client does from now on
     */
    public static byte[] encodeWill(Will will, boolean due, int format) {
        ByteWriter writer = begin(format, WILL, sizeHint(will.message()));
        writer.writeBoolean(due);
        MessageFormat.writeWill(writer, will);
        return writer.toBytes();
    }

    /** Decodes a will. */
    public static StoredWill decodeWill(byte[] bytes) {
        return decode(bytes, WILL, reader -> {
            boolean due = reader.readBoolean();
            return new StoredWill(MessageFormat.readWill(reader), due);
        });
    }

    /** Encodes a message and, when it was forwarded, where it comes from. */
    public static byte[] encodeMessage(Message message, @Nullable Source source, int format) {
        ByteWriter writer = begin(format, MESSAGE, sizeHint(message));
        RoutingFormat.writeSource(writer, source);
        MessageFormat.write(writer, message);
        return writer.toBytes();
    }

    /** Decodes a message and its source. */
    public static SourcedMessage decodeMessage(byte[] bytes) {
        return decode(bytes, MESSAGE, reader -> {
            Source source = RoutingFormat.readSource(reader);
            return new SourcedMessage(MessageFormat.read(reader), source);
        });
    }

    private static byte[] encodeQueued(Queued queued, int format) {
        ByteWriter writer = begin(format, QUEUED, sizeHint(queued.message()));
        RoutingFormat.writeQueued(writer, queued);
        return writer.toBytes();
    }

    /** Writes a session without its queue into a record of the format. */
    static void writeSession(ByteWriter writer, StoredSession stored, int format) {
        writer.writeString(stored.clientId());
        writer.writeNumber(stored.session());
        writer.writeNumber(stored.epoch());
        writer.writeNullableString(stored.node());
        writer.writeNumber(stored.connection());
        writer.writeNumber(stored.sessionExpirySeconds());
        writer.writeNumber(stored.receiveMaximum());
        writer.writeSigned(stored.detachedAtMillis());
        writeDueTime(writer, stored.willDueAtMillis());
        writer.writeNumber(stored.lastSequence());
        boolean hasPriorities = format >= RecordFormat.PRIORITIES;
        writer.writeSigned(stored.resendUpTo().lowest());
        if (hasPriorities) {
            SentUpTo.writeHigher(writer, stored.resendUpTo());
        }
        writer.writeNumber(stored.queuedMessages());
        writer.writeNumber(stored.queuedBytes());
        writer.writeNumber(stored.groupUpTo());
        if (hasPriorities) {
            writer.writeNumber(stored.priorityUpTo());
        }
        writer.writeNumber(stored.leftUpTo());
        writeTopic(writer, stored.topic());
        writer.writeNumbers(
                Arrays.stream(stored.inboundPacketIds()).asLongStream().toArray());
        if (hasPriorities && stored.inboundPacketIds().length > 0) {
            writer.writeNumber(stored.acceptedEpoch());
        }
        if (format >= PrincipalFormat.FIRST) {
            PrincipalFormat.write(writer, stored.principal(), stored.clientId(), format);
        }
    }

    /** Reads what {@link #writeSession} wrote. */
    static StoredSession readSession(ByteReader reader) {
        String clientId = reader.readString();
        long session = reader.readNumber();
        long epoch = reader.readNumber();
        String node = interned(reader.readNullableString());
        long connection = reader.readNumber();
        long sessionExpirySeconds = reader.readNumber();
        int receiveMaximum = reader.readInt();
        long detachedAtMillis = reader.readSigned();
        long willDueAtMillis = readDueTime(reader);
        long lastSequence = reader.readNumber();
        long resendUpTo = reader.readSigned();
        boolean hasPriorities = reader.format() >= RecordFormat.PRIORITIES;
        SentUpTo resend = hasPriorities ? SentUpTo.readHigher(reader, resendUpTo) : SentUpTo.all(resendUpTo);
        long queuedMessages = reader.readNumber();
        long queuedBytes = reader.readNumber();
        long groupUpTo = reader.readNumber();
        long priorityUpTo = hasPriorities ? reader.readNumber() : 0;
        long leftUpTo = reader.readNumber();
        TopicState topic = readTopic(reader);
        int[] inboundPacketIds = reader.readInts();
        return new StoredSession(
                clientId,
                session,
                epoch,
                node,
                connection,
                sessionExpirySeconds,
                receiveMaximum,
                detachedAtMillis,
                willDueAtMillis,
                lastSequence,
                resend,
                queuedMessages,
                queuedBytes,
                groupUpTo,
                priorityUpTo,
                leftUpTo,
                topic,
                inboundPacketIds,
                readAcceptedEpoch(reader, inboundPacketIds, epoch),
                reader.format() < PrincipalFormat.FIRST ? null : PrincipalFormat.read(reader, clientId));
    }

    /** Older formats do not say it: then it is taken to be that of the latest connection. */
    private static long readAcceptedEpoch(ByteReader reader, int[] inboundPacketIds, long epoch) {
        if (inboundPacketIds.length == 0) {
            return 0;
        }
        return reader.format() >= RecordFormat.PRIORITIES ? reader.readNumber() : epoch;
    }

    /** Of the names of nodes there are few; an owner keeps one for each session that has a connection. */
    private static @Nullable String interned(@Nullable String node) {
        return node == null ? null : node.intern();
    }

    private static void writeTopic(ByteWriter writer, @Nullable TopicState topic) {
        writer.writeByte(topic == null ? ClientKind.DEVICE.code() : topic.kind().code());
        if (topic != null) {
            writer.writeNullableString(topic.id());
            writer.writeNumber(topic.base());
            writer.writeNumber(topic.first());
            writer.writeNumber(topic.upTo());
            writer.writeNumbers(topic.settled());
            writer.writeNumbers(topic.released());
            writer.writeList(topic.sources(), RoutingFormat::writeSource);
        }
    }

    private static @Nullable TopicState readTopic(ByteReader reader) {
        ClientKind kind = ClientKind.of(reader.readByte());
        return kind == ClientKind.DEVICE
                ? null
                : new TopicState(
                        kind,
                        reader.readNullableString(),
                        reader.readNumber(),
                        reader.readNumber(),
                        reader.readNumber(),
                        reader.readNumbers(),
                        reader.readNumbers(),
                        reader.readList(RoutingFormat::readPresentSource));
    }

    /** "None to come" is a single byte. */
    private static void writeDueTime(ByteWriter writer, long millis) {
        writer.writeBoolean(millis != Long.MAX_VALUE);
        if (millis != Long.MAX_VALUE) {
            writer.writeSigned(millis);
        }
    }

    private static long readDueTime(ByteReader reader) {
        return reader.readBoolean() ? reader.readSigned() : Long.MAX_VALUE;
    }

    private static ByteWriter begin(int format, int type, int sizeHint) {
        ByteWriter writer = new ByteWriter(sizeHint);
        writer.writeByte(format);
        writer.writeByte(type);
        return writer;
    }

    private static <T> T decode(byte[] bytes, int expectedType, Function<ByteReader, T> read) {
        ByteReader reader = new ByteReader(bytes);
        expect(reader, expectedType);
        T value = read.apply(reader);
        reader.expectEnd();
        return value;
    }

    private static void expect(ByteReader reader, int expectedType) {
        reader.expectFormat(RecordFormat.NEWEST);
        int type = reader.readByte();
        if (type != expectedType) {
            throw new UnreadableRecordException("a record of type " + type + " instead of " + expectedType);
        }
    }

    private static int sizeHint(Message message) {
        return message.sizeBytes() + message.publisher().length() + SMALL;
    }

    /** A will, and whether it is to be published whatever the client does from now on. */
    public record StoredWill(Will will, boolean due) {}

    /** A message and where it was forwarded from, if it was. */
    public record SourcedMessage(Message message, @Nullable Source source) {}
}
