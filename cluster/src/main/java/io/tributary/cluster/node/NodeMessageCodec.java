package io.tributary.cluster.node;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.cluster.node.NodeMessage.AllAttached;
import io.tributary.cluster.node.NodeMessage.AllSettled;
import io.tributary.cluster.node.NodeMessage.AskForAllSettled;
import io.tributary.cluster.node.NodeMessage.AttachRefused;
import io.tributary.cluster.node.NodeMessage.AttachedLater;
import io.tributary.cluster.node.NodeMessage.AttachedTo;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.cluster.node.NodeMessage.OwnerAnswer;
import io.tributary.cluster.node.NodeMessage.OwnerMessage;
import io.tributary.cluster.node.NodeMessage.OwnerQuestion;
import io.tributary.cluster.node.NodeMessage.OwnerSpeaks;
import io.tributary.cluster.node.NodeMessage.PublishersWait;
import io.tributary.cluster.node.NodeMessage.QosZero;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.Received;
import io.tributary.cluster.node.NodeMessage.ReceivedLogged;
import io.tributary.cluster.node.NodeMessage.Relayed;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.cluster.node.NodeMessage.Settle;
import io.tributary.cluster.node.NodeMessage.Shared;
import io.tributary.cluster.node.NodeMessage.SharedAnswer;
import io.tributary.cluster.node.NodeMessage.SharedOutcome;
import io.tributary.cluster.node.NodeMessage.Stats;
import io.tributary.cluster.node.NodeMessage.StoreMisses;
import io.tributary.cluster.node.NodeMessage.TakenOver;
import io.tributary.cluster.node.NodeMessage.TenantsReport;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.cluster.node.NodeMessage.Unheard;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ByteReader;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.MessageFormat;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.RoutingFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The encoding of what nodes tell each other: a frame is a format byte, then messages one behind the other, each a type
 * byte and its components in their order. The nodes of a cluster may run different versions, so whatever changes the
 * bytes of a message takes a new {@link RecordFormat}.
 *
 * <p>Decided in docs/decisions/0015-own-codecs-between-nodes.md.
 */
public final class NodeMessageCodec {
    private static final int ATTACHED_TO = 1;
    private static final int TAKEN_OVER = 2;
    private static final int DELIVER = 3;
    private static final int RECEIVED_LOGGED = 4;
    private static final int RELAYED = 5;
    private static final int SETTLE = 6;
    private static final int RECEIVED = 7;
    private static final int RESUME = 8;
    private static final int QOS_ZERO = 9;
    private static final int TRANSIENT = 10;
    private static final int TAKEN = 11;
    private static final int MAP_PROGRESS = 12;
    private static final int OWNER_SPEAKS = 13;
    private static final int ALL_ATTACHED = 14;
    private static final int FIGURES = 15;
    private static final int ATTACH_REFUSED = 16;
    private static final int SHARED = 17;
    private static final int SHARED_ANSWER = 18;
    private static final int ASK_FOR_ALL_SETTLED = 19;
    private static final int ALL_SETTLED = 20;

    private static final int UNHEARD = 21;
    private static final int STORE_MISSES = 22;
    private static final int OWNER_QUESTION = 23;
    private static final int OWNER_ANSWER = 24;
    private static final int TENANTS_REPORT = 25;
    private static final int HOLD_PUBLISHER = 26;
    private static final int ROOM_AGAIN = 27;
    private static final int PUBLISHERS_WAIT = 28;
    private static final int ATTACHED_LATER = 29;

    private static final int DUP = 0x01;
    private static final int RELEASED = 0x02;

    private NodeMessageCodec() {}

    /** Begins a frame: messages follow through {@link #write}. */
    static void begin(ByteWriter writer, int format) {
        writer.writeByte(format);
    }

    /** Appends a message to a frame, in the format that the frame has. */
    static void write(ByteWriter writer, NodeMessage message, int format) {
        switch (message) {
            case AttachedTo attached -> writeAttachedTo(writer, attached, format);
            case AttachRefused refused -> {
                writeOwned(writer, ATTACH_REFUSED, refused, refused.connection());
                writer.writeByte(refused.reason().code());
            }
            case TakenOver takenOver -> writeOwned(writer, TAKEN_OVER, takenOver, takenOver.connection());
            case OwnerSpeaks speaks -> {
                writer.writeByte(OWNER_SPEAKS);
                writer.writeNumber(speaks.shard());
                writer.writeNumber(speaks.ownerEpoch());
            }
            case AttachedLater later -> writeOwned(writer, ATTACHED_LATER, later, later.connection());
            case AllAttached all -> writeOwned(writer, ALL_ATTACHED, all, all.upTo());
            case AskForAllSettled ask -> {
                writer.writeByte(ASK_FOR_ALL_SETTLED);
                writer.writeNumber(ask.shard());
                writer.writeNumber(ask.ownerEpoch());
                writer.writeString(ask.clientId());
                writer.writeNumber(ask.epoch());
            }
            case AllSettled all -> {
                writer.writeByte(ALL_SETTLED);
                writer.writeNumber(all.shard());
                writer.writeString(all.clientId());
                writer.writeNumber(all.epoch());
            }
            case Deliver deliver -> writeDeliver(writer, deliver);
            case ReceivedLogged logged -> {
                writeOwned(writer, RECEIVED_LOGGED, logged, logged.connection());
                writer.writeNumbers(logged.sequences());
            }
            case Relayed relayed -> {
                writeOwned(writer, RELAYED, relayed, relayed.epoch());
                writer.writeNumber(relayed.packetId());
            }
            case Settle settle ->
                writeClient(writer, SETTLE, settle.shard(), settle.clientId(), settle.epoch(), settle.sequences());
            case Received received ->
                writeClient(
                        writer,
                        RECEIVED,
                        received.shard(),
                        received.clientId(),
                        received.epoch(),
                        received.sequences());
            case Resume resume -> {
                writer.writeByte(RESUME);
                writer.writeNumber(resume.shard());
            }
            case QosZero qosZero -> writeQosZero(writer, qosZero);
            case Transient notKept -> writeTransient(writer, notKept);
            case Shared shared -> {
                writer.writeByte(SHARED);
                writer.writeNumber(shared.id());
                writer.writeString(shared.clientId());
                writer.writeNumber(shared.session());
                writer.writeBoolean(shared.dup());
                RoutingFormat.writeQueued(writer, shared.message());
            }
            case SharedAnswer answer -> {
                writer.writeByte(SHARED_ANSWER);
                writer.writeNumber(answer.id());
                writer.writeByte(codeOf(answer.outcome()));
            }
            case Receipt taken -> {
                writer.writeByte(TAKEN);
                writer.writeNumbers(taken.ids());
            }
            case HoldPublisher hold -> {
                writer.writeByte(HOLD_PUBLISHER);
                writer.writeNumber(hold.id());
                writer.writeNumber(hold.room());
            }
            case PublishersWait _ -> writer.writeByte(PUBLISHERS_WAIT);
            case RoomAgain again -> {
                writer.writeByte(ROOM_AGAIN);
                writer.writeNumber(again.room());
            }
            case MapProgress progress -> {
                writer.writeByte(MAP_PROGRESS);
                writer.writeString(progress.map());
                writer.writeNumber(progress.position());
            }
            case Unheard unheard -> {
                writer.writeByte(UNHEARD);
                writer.writeNumber(unheard.silentMillis());
            }
            case StoreMisses misses -> {
                writer.writeByte(STORE_MISSES);
                writer.writeNumber(misses.shards());
            }
            case OwnerQuestion asked -> writeNumbered(writer, OWNER_QUESTION, asked.id(), asked.question());
            case OwnerAnswer answered -> writeNumbered(writer, OWNER_ANSWER, answered.id(), answered.answer());
            case TenantsReport said -> {
                writer.writeByte(TENANTS_REPORT);
                writer.writeBytes(said.report());
            }
            case Stats said -> {
                writer.writeByte(FIGURES);
                writer.writeBytes(said.stats());
            }
        }
    }

    /**
     * Decodes the messages of a frame, in the order in which they were written.
     *
     * @throws UnreadableRecordException when the bytes are no frame, or one of a newer format; then none of it counts
     */
    public static List<NodeMessage> decode(byte[] frame) {
        ByteReader reader = new ByteReader(frame);
        reader.expectFormat(RecordFormat.NEWEST);
        List<NodeMessage> messages = new ArrayList<>();
        while (!reader.isAtEnd()) {
            messages.add(read(reader));
        }
        return messages;
    }

    private static NodeMessage read(ByteReader reader) {
        int type = reader.readByte();
        return switch (type) {
            case ATTACHED_TO -> readAttachedTo(reader);
            case ATTACH_REFUSED ->
                new AttachRefused(
                        reader.readInt(),
                        reader.readNumber(),
                        reader.readNumber(),
                        AttachRefusal.of(reader.readByte()));
            case TAKEN_OVER -> new TakenOver(reader.readInt(), reader.readNumber(), reader.readNumber());
            case ASK_FOR_ALL_SETTLED ->
                new AskForAllSettled(reader.readInt(), reader.readNumber(), reader.readString(), reader.readNumber());
            case ALL_SETTLED -> new AllSettled(reader.readInt(), reader.readString(), reader.readNumber());
            case DELIVER ->
                new Deliver(
                        reader.readInt(),
                        reader.readNumber(),
                        reader.readNumber(),
                        reader.readList(NodeMessageCodec::readDelivery));
            case RECEIVED_LOGGED ->
                new ReceivedLogged(reader.readInt(), reader.readNumber(), reader.readNumber(), reader.readNumbers());
            case RELAYED -> new Relayed(reader.readInt(), reader.readNumber(), reader.readNumber(), reader.readInt());
            case OWNER_SPEAKS -> new OwnerSpeaks(reader.readInt(), reader.readNumber());
            case ATTACHED_LATER -> new AttachedLater(reader.readInt(), reader.readNumber(), reader.readNumber());
            case ALL_ATTACHED -> new AllAttached(reader.readInt(), reader.readNumber(), reader.readNumber());
            case SETTLE -> new Settle(reader.readInt(), reader.readString(), reader.readNumber(), reader.readNumbers());
            case RECEIVED ->
                new Received(reader.readInt(), reader.readString(), reader.readNumber(), reader.readNumbers());
            case RESUME -> new Resume(reader.readInt());
            case QOS_ZERO ->
                new QosZero(
                        reader.readInt(), reader.readString(), reader.readNumber(), RoutingFormat.readQueued(reader));
            case TRANSIENT -> readTransient(reader);
            case SHARED ->
                new Shared(
                        reader.readNumber(),
                        reader.readString(),
                        reader.readNumber(),
                        reader.readBoolean(),
                        RoutingFormat.readQueued(reader));
            case SHARED_ANSWER -> new SharedAnswer(reader.readNumber(), readOutcome(reader));
            case TAKEN -> new Receipt(reader.readNumbers());
            case HOLD_PUBLISHER -> new HoldPublisher(reader.readNumber(), reader.readNumber());
            case PUBLISHERS_WAIT -> new PublishersWait();
            case ROOM_AGAIN -> new RoomAgain(reader.readNumber());
            case MAP_PROGRESS -> new MapProgress(reader.readString(), reader.readNumber());
            case UNHEARD -> new Unheard(reader.readNumber());
            case STORE_MISSES -> new StoreMisses(reader.readInt());
            case OWNER_QUESTION -> new OwnerQuestion(reader.readNumber(), reader.readBytes());
            case OWNER_ANSWER -> new OwnerAnswer(reader.readNumber(), reader.readBytes());
            case FIGURES -> readStats(reader);
            case TENANTS_REPORT -> new TenantsReport(reader.readBytes());
            default -> throw new UnreadableRecordException("there is no message of type " + type);
        };
    }

    private static void writeNumbered(ByteWriter writer, int type, long id, byte[] bytes) {
        writer.writeByte(type);
        writer.writeNumber(id);
        writer.writeBytes(bytes);
    }

    /** Begins what an owner says with what most of it is about: a connection or an offset. */
    private static void writeOwned(ByteWriter writer, int type, OwnerMessage message, long about) {
        writer.writeByte(type);
        writer.writeNumber(message.shard());
        writer.writeNumber(message.ownerEpoch());
        writer.writeNumber(about);
    }

    private static void writeClient(
            ByteWriter writer, int type, int shard, String clientId, long epoch, long[] sequences) {
        writer.writeByte(type);
        writer.writeNumber(shard);
        writer.writeString(clientId);
        writer.writeNumber(epoch);
        writer.writeNumbers(sequences);
    }

    private static void writeAttachedTo(ByteWriter writer, AttachedTo message, int format) {
        writeOwned(writer, ATTACHED_TO, message, message.connection());
        Attached attached = message.attached();
        writer.writeNumber(attached.session());
        writer.writeNumber(attached.epoch());
        writer.writeBoolean(attached.sessionPresent());
        writer.writeByte(attached.kind().code());
        writer.writeNumbers(
                Arrays.stream(attached.inboundPacketIds()).asLongStream().toArray());
        if (format >= RecordFormat.FOLDED_UP_TO) {
            writer.writeNumber(attached.foldedUpTo());
        }
    }

    private static AttachedTo readAttachedTo(ByteReader reader) {
        return new AttachedTo(
                reader.readInt(),
                reader.readNumber(),
                reader.readNumber(),
                new Attached(
                        reader.readNumber(),
                        reader.readNumber(),
                        reader.readBoolean(),
                        ClientKind.of(reader.readByte()),
                        reader.readInts(),
                        reader.format() >= RecordFormat.FOLDED_UP_TO ? reader.readNumber() : Attached.UNKNOWN));
    }

    private static void writeDeliver(ByteWriter writer, Deliver deliver) {
        writeOwned(writer, DELIVER, deliver, deliver.connection());
        writer.writeList(deliver.deliveries(), NodeMessageCodec::writeDelivery);
    }

    private static void writeDelivery(ByteWriter writer, Delivery delivery) {
        int dup = delivery.dup() ? DUP : 0;
        switch (delivery.entry()) {
            case Queued queued -> {
                writer.writeByte(dup);
                writer.writeNumber(delivery.sequence());
                RoutingFormat.writeQueued(writer, queued);
            }
            case Released() -> {
                writer.writeByte(dup | RELEASED);
                writer.writeNumber(delivery.sequence());
            }
        }
    }

    private static Delivery readDelivery(ByteReader reader) {
        int flags = reader.readByte();
        long sequence = reader.readNumber();
        boolean released = (flags & RELEASED) != 0;
        return new Delivery(sequence, released ? new Released() : RoutingFormat.readQueued(reader), (flags & DUP) != 0);
    }

    private static void writeQosZero(ByteWriter writer, QosZero message) {
        writer.writeByte(QOS_ZERO);
        writer.writeNumber(message.shard());
        writer.writeString(message.clientId());
        writer.writeNumber(message.session());
        RoutingFormat.writeQueued(writer, message.message());
    }

    private static void writeTransient(ByteWriter writer, Transient message) {
        writer.writeByte(TRANSIENT);
        writer.writeNumber(message.id());
        MessageFormat.write(writer, message.message());
        writer.writeList(message.members(), RoutingFormat::writeRecipient);
        writer.writeBoolean(message.matchHere());
    }

    private static Transient readTransient(ByteReader reader) {
        long id = reader.readNumber();
        Message message = MessageFormat.read(reader);
        List<Recipient> members = reader.readList(RoutingFormat::readRecipient);
        if (members.size() > NodeMessage.MAX_MEMBERS) {
            throw new UnreadableRecordException(members.size() + " members of a transient message");
        }
        return new Transient(id, message, members, reader.readBoolean());
    }

    private static int codeOf(SharedOutcome outcome) {
        return switch (outcome) {
            case DONE -> 0;
            case RETURNED -> 1;
            case RETURNED_MAYBE_SENT -> 2;
        };
    }

    private static SharedOutcome readOutcome(ByteReader reader) {
        int code = reader.readByte();
        return switch (code) {
            case 0 -> SharedOutcome.DONE;
            case 1 -> SharedOutcome.RETURNED;
            case 2 -> SharedOutcome.RETURNED_MAYBE_SENT;
            default -> throw new UnreadableRecordException("there is no outcome " + code + " of a shared message");
        };
    }

    private static Stats readStats(ByteReader reader) {
        byte[] stats = reader.readBytes();
        if (stats.length > Stats.MAX_BYTES) {
            throw new UnreadableRecordException(stats.length + " bytes of figures");
        }
        return new Stats(stats);
    }
}
