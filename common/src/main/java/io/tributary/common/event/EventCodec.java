package io.tributary.common.event;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.ShardEvent.TopicFound;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of the events of a shard's log: a format byte, a type byte and the components of the event in their
 * order. What an older version wrote stays readable; whatever changes the bytes of an event takes a new
 * {@link RecordFormat}.
 */
public final class EventCodec {
    private static final int PUBLISH = 1;
    private static final int RELAY = 2;
    private static final int RELEASE = 3;
    private static final int ATTACH = 4;
    private static final int DETACH = 5;
    private static final int OWNER = 6;
    private static final int SETTLED = 7;
    private static final int SESSION_EXPIRED = 8;
    private static final int WILL_DUE = 9;
    private static final int REDISTRIBUTION = 10;
    private static final int SNAPSHOT_SESSION = 11;
    private static final int SNAPSHOT_QUEUE = 12;
    private static final int SNAPSHOT_COMPLETE = 13;
    private static final int TOPIC_FOUND = 14;

    private static final int CLEAN_START = 1;
    private static final int QUEUE_SHIFT = 1;
    private static final int PUBLISHES_WILL = 1;
    private static final int HAS_WILL_BEFORE = 2;
    private static final int TAKES_ANYONES = 8;
    private static final int NO_MORE_CONNECTIONS = 16;
    private static final int NO_MORE_SESSIONS = 32;
    /** What may stand beside the kind from format 2 on, and from format 3 on. */
    private static final int FLAGS_OF_2 = CLEAN_START | TAKES_ANYONES;

    private static final int FLAGS_OF_3 = FLAGS_OF_2 | NO_MORE_CONNECTIONS | NO_MORE_SESSIONS;

    private static final long NOT_KNOWN = -1;
    private static final int SMALL = 64;
    private static final int BYTES_A_RECIPIENT = 48;

    private EventCodec() {}

    /**
     * Encodes an event.
     *
     * @param format the {@link RecordFormat#toWrite} of this process
     */
    public static byte[] encode(ShardEvent event, int format) {
        return encoded(event, formatOf(event, format));
    }

    /**
     * One that says what was sent of several priorities is written in a format that has them: there are such messages
     * only once all live nodes read it, though this one may write an older one still.
     */
    private static int formatOf(ShardEvent event, int format) {
        return switch (event) {
            case SnapshotSession snapshot -> StateCodec.formatOf(snapshot.session(), format);
            case Detach detach
            when detach.sentUpTo() != null && !detach.sentUpTo().isOfAll() -> Math.max(format, RecordFormat.PRIORITIES);
            default -> format;
        };
    }

    private static byte[] encoded(ShardEvent event, int format) {
        ByteWriter writer = new ByteWriter(sizeHint(event));
        writer.writeByte(format);
        switch (event) {
            case Publish publish -> writePublish(writer, publish);
            case Relay relay -> writeRelay(writer, relay);
            case Release release -> writeRelease(writer, release);
            case Attach attach -> writeAttach(writer, attach, format);
            case Detach detach -> writeDetach(writer, detach, format);
            case Owner owner -> writeOwner(writer, owner);
            case Settled settled -> writeSettled(writer, settled);
            case SessionExpired expired -> writeSessionExpired(writer, expired);
            case WillDue due -> writeWillDue(writer, due);
            case Redistribution redistribution -> writeRedistribution(writer, redistribution);
            case SnapshotSession stored -> writeSession(writer, stored, format);
            case SnapshotQueue queue -> writeSnapshotQueue(writer, queue);
            case SnapshotComplete complete -> writeSnapshotComplete(writer, complete);
            case TopicFound found -> writeTopicFound(writer, found);
        }
        return writer.toBytes();
    }

    /**
     * Decodes an event.
     *
     * @throws UnreadableRecordException when the bytes are no event, or one of a newer format
     */
    public static ShardEvent decode(byte[] bytes) {
        ByteReader reader = new ByteReader(bytes);
        reader.expectFormat(RecordFormat.NEWEST);
        int type = reader.readByte();
        ShardEvent event = switch (type) {
            case PUBLISH -> readPublish(reader);
            case RELAY -> readRelay(reader);
            case RELEASE -> new Release(reader.readString(), reader.readNumber(), reader.readInt());
            case ATTACH -> readAttach(reader);
            case DETACH -> readDetach(reader);
            case OWNER -> new Owner(reader.readString());
            case SETTLED -> readSettled(reader);
            case SESSION_EXPIRED ->
                new SessionExpired(reader.readNumber(), reader.readString(), reader.readNumber(), reader.readNumber());
            case WILL_DUE -> readWillDue(reader);
            case REDISTRIBUTION -> readRedistribution(reader);
            case SNAPSHOT_SESSION -> readSession(reader);
            case SNAPSHOT_QUEUE -> readSnapshotQueue(reader);
            case SNAPSHOT_COMPLETE -> readSnapshotComplete(reader);
            case TOPIC_FOUND -> readTopicFound(reader);
            default -> throw new UnreadableRecordException("there is no event of type " + type);
        };
        reader.expectEnd();
        return event;
    }

    /** About how long the encoding will be: too much rather than too little, for growing costs more. */
    private static int sizeHint(ShardEvent event) {
        return switch (event) {
            case Publish publish ->
                sizeHint(publish.message(), publish.recipients().size());
            case Relay relay ->
                sizeHint(relay.message(), relay.destinations().recipients().size());
            case WillDue due ->
                sizeHint(due.message(), due.destinations().recipients().size());
            case SnapshotQueue queue -> sizeHint(queue);
            default -> SMALL;
        };
    }

    private static int sizeHint(SnapshotQueue queue) {
        int size = SMALL;
        for (SnapshotEntry kept : queue.entries()) {
            size += kept.entry() instanceof Queued queued ? sizeHint(queued.message(), 0) : BYTES_A_RECIPIENT;
        }
        return size;
    }

    private static int sizeHint(Message message, int recipients) {
        return message.sizeBytes() + message.publisher().length() + SMALL + recipients * BYTES_A_RECIPIENT;
    }

    private static void writePublish(ByteWriter writer, Publish publish) {
        writer.writeByte(PUBLISH);
        MessageFormat.write(writer, publish.message());
        writer.writeList(publish.recipients(), RoutingFormat::writeRecipient);
        RoutingFormat.writeSource(writer, publish.source());
    }

    private static Publish readPublish(ByteReader reader) {
        Message message = MessageFormat.read(reader);
        List<Recipient> recipients = reader.readList(RoutingFormat::readRecipient);
        return new Publish(message, recipients, RoutingFormat.readSource(reader));
    }

    private static void writeRelay(ByteWriter writer, Relay relay) {
        writer.writeByte(RELAY);
        writer.writeString(relay.clientId());
        writer.writeNumber(relay.epoch());
        writer.writeNumber(relay.packetId());
        MessageFormat.write(writer, relay.message());
        RoutingFormat.writeDestinations(writer, relay.destinations());
    }

    private static Relay readRelay(ByteReader reader) {
        return new Relay(
                reader.readString(),
                reader.readNumber(),
                reader.readInt(),
                MessageFormat.read(reader),
                RoutingFormat.readDestinations(reader));
    }

    private static void writeRelease(ByteWriter writer, Release release) {
        writer.writeByte(RELEASE);
        writer.writeString(release.clientId());
        writer.writeNumber(release.epoch());
        writer.writeNumber(release.packetId());
    }

    private static void writeAttach(ByteWriter writer, Attach attach, int format) {
        writer.writeByte(ATTACH);
        writer.writeString(attach.clientId());
        writer.writeString(attach.node());
        writer.writeNumber(attach.connection());
        boolean hasPrincipal = format >= PrincipalFormat.FIRST;
        int flags = (attach.cleanStart() ? CLEAN_START : 0)
                | (attach.takesAnyones() ? TAKES_ANYONES : 0)
                | (attach.exhausted().connections() ? NO_MORE_CONNECTIONS : 0)
                | (attach.exhausted().sessions() ? NO_MORE_SESSIONS : 0);
        writer.writeByte((flags & flagsOf(format)) | (attach.kind().code() << QUEUE_SHIFT));
        writer.writeNumber(attach.sessionExpirySeconds());
        writer.writeNumber(attach.receiveMaximum());
        writeWill(writer, attach.will());
        if (hasPrincipal) {
            PrincipalFormat.write(writer, attach.principal(), attach.clientId(), format);
        }
    }

    private static int flagsOf(int format) {
        if (format < PrincipalFormat.FIRST) {
            return CLEAN_START;
        }
        return format < Exhausted.FIRST ? FLAGS_OF_2 : FLAGS_OF_3;
    }

    private static void writeWill(ByteWriter writer, @Nullable Will will) {
        writer.writeBoolean(will != null);
        if (will != null) {
            MessageFormat.writeWill(writer, will);
        }
    }

    private static @Nullable Will readWill(ByteReader reader) {
        return reader.readBoolean() ? MessageFormat.readWill(reader) : null;
    }

    private static Attach readAttach(ByteReader reader) {
        String clientId = reader.readString();
        String node = reader.readString().intern(); // an owner keeps one for each session that has a connection
        long connection = reader.readNumber();
        boolean hasPrincipal = reader.format() >= PrincipalFormat.FIRST;
        int bits = reader.readByte();
        int flags = bits & flagsOf(reader.format());
        return new Attach(
                clientId,
                node,
                connection,
                (flags & CLEAN_START) != 0,
                reader.readNumber(),
                reader.readInt(),
                ClientKind.of((bits & ~flags) >> QUEUE_SHIFT),
                readWill(reader),
                hasPrincipal ? PrincipalFormat.read(reader, clientId) : null,
                (flags & TAKES_ANYONES) != 0,
                new Exhausted((flags & NO_MORE_CONNECTIONS) != 0, (flags & NO_MORE_SESSIONS) != 0));
    }

    private static void writeDetach(ByteWriter writer, Detach detach, int format) {
        writer.writeByte(DETACH);
        writer.writeString(detach.clientId());
        writer.writeNumber(detach.epoch());
        Will willBefore = format < RecordFormat.WILLS_REFUSED ? null : detach.willBefore();
        writer.writeByte((detach.publishWill() ? PUBLISHES_WILL : 0) | (willBefore == null ? 0 : HAS_WILL_BEFORE));
        writer.writeNumber(detach.sessionExpirySeconds());
        SentUpTo sent = detach.sentUpTo();
        writer.writeSigned(sent == null ? NOT_KNOWN : sent.lowest());
        if (format >= RecordFormat.PRIORITIES) {
            SentUpTo.writeHigher(writer, sent == null ? SentUpTo.NOTHING : sent);
        }
        if (willBefore != null) {
            MessageFormat.writeWill(writer, willBefore);
        }
    }

    private static Detach readDetach(ByteReader reader) {
        String clientId = reader.readString();
        long epoch = reader.readNumber();
        int flags = reader.readByte();
        long sessionExpirySeconds = reader.readNumber();
        long lowest = reader.readSigned();
        SentUpTo sent =
                reader.format() < RecordFormat.PRIORITIES ? SentUpTo.all(lowest) : SentUpTo.readHigher(reader, lowest);
        return new Detach(
                clientId,
                epoch,
                (flags & PUBLISHES_WILL) != 0,
                sessionExpirySeconds,
                lowest < 0 ? null : sent,
                (flags & HAS_WILL_BEFORE) == 0 ? null : MessageFormat.readWill(reader));
    }

    private static void writeOwner(ByteWriter writer, Owner owner) {
        writer.writeByte(OWNER);
        writer.writeString(owner.node());
    }

    private static void writeSettled(ByteWriter writer, Settled settled) {
        writer.writeByte(SETTLED);
        writer.writeNumber(settled.ownerEpoch());
        writer.writeList(settled.clients(), EventCodec::writeClientSettled);
        writer.writeList(settled.positions(), EventCodec::writePosition);
    }

    private static Settled readSettled(ByteReader reader) {
        return new Settled(
                reader.readNumber(),
                reader.readList(EventCodec::readClientSettled),
                reader.readList(EventCodec::readPosition));
    }

    private static void writePosition(ByteWriter writer, TopicPosition position) {
        writer.writeString(position.clientId());
        writer.writeNumber(position.session());
        writer.writeNumber(position.epoch());
        writer.writeNumber(position.upTo());
        writer.writeNumber(position.resendUpTo());
        writer.writeList(position.sources(), RoutingFormat::writeSource);
    }

    private static TopicPosition readPosition(ByteReader reader) {
        return new TopicPosition(
                reader.readString(),
                reader.readNumber(),
                reader.readNumber(),
                reader.readNumber(),
                reader.readNumber(),
                reader.readList(RoutingFormat::readPresentSource));
    }

    private static void writeClientSettled(ByteWriter writer, ClientSettled client) {
        writer.writeString(client.clientId());
        writer.writeNumber(client.session());
        writer.writeNumbers(client.settled());
        writer.writeNumber(client.settledBytes());
        writer.writeNumbers(client.received());
    }

    private static ClientSettled readClientSettled(ByteReader reader) {
        return new ClientSettled(
                reader.readString(),
                reader.readNumber(),
                reader.readNumbers(),
                reader.readNumber(),
                reader.readNumbers());
    }

    private static void writeSessionExpired(ByteWriter writer, SessionExpired expired) {
        writer.writeByte(SESSION_EXPIRED);
        writer.writeNumber(expired.ownerEpoch());
        writer.writeString(expired.clientId());
        writer.writeNumber(expired.epoch());
        writer.writeNumber(expired.redistributedUpTo());
    }

    private static void writeWillDue(ByteWriter writer, WillDue due) {
        writer.writeByte(WILL_DUE);
        writer.writeString(due.clientId());
        writer.writeNumber(due.epoch());
        MessageFormat.write(writer, due.message());
        RoutingFormat.writeDestinations(writer, due.destinations());
    }

    private static WillDue readWillDue(ByteReader reader) {
        return new WillDue(
                reader.readString(),
                reader.readNumber(),
                MessageFormat.read(reader),
                RoutingFormat.readDestinations(reader));
    }

    private static void writeRedistribution(ByteWriter writer, Redistribution redistribution) {
        writer.writeByte(REDISTRIBUTION);
        writer.writeNumber(redistribution.ownerEpoch());
        writer.writeString(redistribution.clientId());
        writer.writeNumber(redistribution.session());
        writer.writeList(redistribution.moved(), EventCodec::writeMoved);
    }

    private static Redistribution readRedistribution(ByteReader reader) {
        return new Redistribution(
                reader.readNumber(), reader.readString(), reader.readNumber(), reader.readList(EventCodec::readMoved));
    }

    private static void writeMoved(ByteWriter writer, MovedMessage moved) {
        writer.writeNumber(moved.sequence());
        writer.writeNumber(moved.bytes());
        MessageFormat.write(writer, moved.message());
        RoutingFormat.writeDestinations(writer, moved.destinations());
    }

    private static MovedMessage readMoved(ByteReader reader) {
        return new MovedMessage(
                reader.readNumber(),
                reader.readNumber(),
                MessageFormat.read(reader),
                RoutingFormat.readDestinations(reader));
    }

    private static void writeSession(ByteWriter writer, SnapshotSession stored, int format) {
        writer.writeByte(SNAPSHOT_SESSION);
        writer.writeNumber(stored.ownerEpoch());
        writer.writeNumber(stored.asOf());
        StateCodec.writeSession(writer, stored.session(), format);
        writeWill(writer, stored.will());
    }

    private static SnapshotSession readSession(ByteReader reader) {
        return new SnapshotSession(
                reader.readNumber(), reader.readNumber(), StateCodec.readSession(reader), readWill(reader));
    }

    private static void writeSnapshotQueue(ByteWriter writer, SnapshotQueue queue) {
        writer.writeByte(SNAPSHOT_QUEUE);
        writer.writeNumber(queue.ownerEpoch());
        writer.writeNumber(queue.asOf());
        writer.writeString(queue.clientId());
        writer.writeList(queue.entries(), EventCodec::writeKept);
    }

    private static SnapshotQueue readSnapshotQueue(ByteReader reader) {
        return new SnapshotQueue(
                reader.readNumber(), reader.readNumber(), reader.readString(), reader.readList(EventCodec::readKept));
    }

    private static void writeKept(ByteWriter writer, SnapshotEntry kept) {
        writer.writeNumber(kept.sequence());
        writer.writeBoolean(kept.entry() instanceof Queued);
        if (kept.entry() instanceof Queued queued) {
            RoutingFormat.writeQueued(writer, queued);
        }
    }

    private static SnapshotEntry readKept(ByteReader reader) {
        return new SnapshotEntry(
                reader.readNumber(), reader.readBoolean() ? RoutingFormat.readQueued(reader) : new Released());
    }

    private static void writeTopicFound(ByteWriter writer, TopicFound found) {
        writer.writeByte(TOPIC_FOUND);
        writer.writeNumber(found.ownerEpoch());
        writer.writeString(found.clientId());
        writer.writeNumber(found.session());
        writer.writeString(found.topic());
        writer.writeNumber(found.base());
        writer.writeNumber(found.first());
    }

    private static TopicFound readTopicFound(ByteReader reader) {
        return new TopicFound(
                reader.readNumber(),
                reader.readString(),
                reader.readNumber(),
                reader.readString(),
                reader.readNumber(),
                reader.readNumber());
    }

    private static void writeSnapshotComplete(ByteWriter writer, SnapshotComplete complete) {
        writer.writeByte(SNAPSHOT_COMPLETE);
        writer.writeNumber(complete.ownerEpoch());
        writer.writeNumber(complete.asOf());
        writer.writeSigned(complete.foldedOwner());
        writer.writeList(complete.sources(), RoutingFormat::writeSource);
    }

    private static SnapshotComplete readSnapshotComplete(ByteReader reader) {
        return new SnapshotComplete(
                reader.readNumber(),
                reader.readNumber(),
                reader.readSigned(),
                reader.readList(RoutingFormat::readPresentSource));
    }
}
