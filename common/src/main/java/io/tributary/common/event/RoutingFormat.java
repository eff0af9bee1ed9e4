package io.tributary.common.event;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bytes of recipients, queued messages, destinations and sources within a record. */
public final class RoutingFormat {
    private static final int RETAIN = 0x04;
    private static final int SUBSCRIPTION_IDS = 0x08;
    private static final int GROUP = 0x10;
    private static final int QUEUE_SHIFT = 5;
    private static final int QUEUE_MASK = 0x60;

    private static final int LARGEST_INT = 5;
    private static final int LARGEST_NUMBER = 10;

    private RoutingFormat() {}

    /** Writes a recipient. */
    public static void writeRecipient(ByteWriter writer, Recipient recipient) {
        writeDelivery(
                writer,
                recipient.qos(),
                recipient.retain(),
                recipient.subscriptionIds(),
                recipient.group(),
                recipient.kind());
        writer.writeString(recipient.clientId());
        writer.writeNumber(recipient.session());
    }

    /** Reads what {@link #writeRecipient} wrote. */
    public static Recipient readRecipient(ByteReader reader) {
        Delivery delivery = readDelivery(reader);
        return new Recipient(
                reader.readString(),
                reader.readNumber(),
                delivery.qos(),
                delivery.retain(),
                delivery.subscriptionIds(),
                delivery.group(),
                delivery.kind());
    }

    /** Writes a queued message. */
    public static void writeQueued(ByteWriter writer, Queued queued) {
        writeDelivery(
                writer, queued.qos(), queued.retain(), queued.subscriptionIds(), queued.group(), ClientKind.DEVICE);
        MessageFormat.write(writer, queued.message());
    }

    /** Reads what {@link #writeQueued} wrote. */
    public static Queued readQueued(ByteReader reader) {
        Delivery delivery = readDelivery(reader);
        return new Queued(
                MessageFormat.read(reader),
                delivery.qos(),
                delivery.retain(),
                delivery.subscriptionIds(),
                delivery.group());
    }

    /** How a message shall arrive, which recipients and queue entries have in common. */
    static void writeDelivery(
            ByteWriter writer,
            QoS qos,
            boolean retain,
            List<Integer> subscriptionIds,
            @Nullable String group,
            ClientKind kind) {
        writer.writeByte(qos.code()
                | (retain ? RETAIN : 0)
                | (subscriptionIds.isEmpty() ? 0 : SUBSCRIPTION_IDS)
                | (group == null ? 0 : GROUP)
                | (kind.code() << QUEUE_SHIFT));
        if (!subscriptionIds.isEmpty()) {
            writer.writeList(subscriptionIds, (out, id) -> out.writeNumber(id));
        }
        if (group != null) {
            writer.writeName(group);
        }
    }

    static Delivery readDelivery(ByteReader reader) {
        int flags = reader.readByte();
        return new Delivery(
                MessageFormat.qos(flags),
                (flags & RETAIN) != 0,
                (flags & SUBSCRIPTION_IDS) == 0 ? List.of() : reader.readList(ByteReader::readInt),
                (flags & GROUP) == 0 ? null : reader.readName(),
                ClientKind.of((flags & QUEUE_MASK) >> QUEUE_SHIFT));
    }

    static void writeDestinations(ByteWriter writer, Destinations destinations) {
        writer.writeBoolean(destinations.areMatchedLater());
        writer.writeList(destinations.recipients(), RoutingFormat::writeRecipient);
        writer.writeList(destinations.nodes(), RoutingFormat::writeShare);
    }

    static Destinations readDestinations(ByteReader reader) {
        boolean areMatchedLater = reader.readBoolean();
        return new Destinations(
                reader.readList(RoutingFormat::readRecipient),
                reader.readList(RoutingFormat::readShare),
                areMatchedLater);
    }

    private static void writeShare(ByteWriter writer, NodeShare share) {
        writer.writeString(share.node());
        writer.writeList(share.members(), RoutingFormat::writeRecipient);
        writer.writeBoolean(share.matching());
    }

    private static NodeShare readShare(ByteReader reader) {
        return new NodeShare(reader.readString(), reader.readList(RoutingFormat::readRecipient), reader.readBoolean());
    }

    /** How many bytes a recipient takes in a record at most; the same for the same recipient at any caller. */
    public static int largestSizeOf(Recipient recipient) {
        return ByteWriter.largestSizeOf(recipient.clientId())
                + largestSizeOf(recipient.subscriptionIds(), recipient.group())
                + LARGEST_NUMBER;
    }

    /** How many bytes a queued message takes in a record at most. */
    public static long largestSizeOf(Queued queued) {
        return MessageFormat.largestSizeOf(queued.message()) + largestSizeOf(queued.subscriptionIds(), queued.group());
    }

    /** How many bytes destinations take in a record at most. */
    public static long largestSizeOf(Destinations destinations) {
        long size = 1 + 2L * LARGEST_NUMBER;
        for (Recipient recipient : destinations.recipients()) {
            size += largestSizeOf(recipient);
        }
        for (NodeShare share : destinations.nodes()) {
            size += ByteWriter.largestSizeOf(share.node()) + LARGEST_NUMBER + 1;
            for (Recipient member : share.members()) {
                size += largestSizeOf(member);
            }
        }
        return size;
    }

    private static int largestSizeOf(List<Integer> subscriptionIds, @Nullable String group) {
        int size = 1 + (subscriptionIds.size() + 1) * LARGEST_INT;
        return group == null ? size : size + LARGEST_INT + ByteWriter.largestSizeOf(group);
    }

    /** Writes a source, or that there is none. */
    public static void writeSource(ByteWriter writer, @Nullable Source source) {
        writer.writeBoolean(source != null);
        if (source != null) {
            writer.writeNumber(source.shard());
            writer.writeNumber(source.offset());
            writer.writeNumber(source.part());
        }
    }

    /** Reads what {@link #writeSource} wrote. */
    public static @Nullable Source readSource(ByteReader reader) {
        return reader.readBoolean() ? new Source(reader.readInt(), reader.readNumber(), reader.readInt()) : null;
    }

    static Source readPresentSource(ByteReader reader) {
        Source source = readSource(reader);
        if (source == null) {
            throw new UnreadableRecordException("a source is missing");
        }
        return source;
    }

    /** The fields that {@link #writeDelivery} writes. */
    record Delivery(
            QoS qos,
            boolean retain,
            List<Integer> subscriptionIds,
            @Nullable String group,
            ClientKind kind) {}
}
