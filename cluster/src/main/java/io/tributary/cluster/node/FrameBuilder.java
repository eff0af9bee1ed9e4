package io.tributary.cluster.node;

import io.tributary.broker.delivery.Delivery;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Packs messages for one node into frames: as many as fit into about {@link #FRAME_BYTES}, in the order in which they
 * are added. A frame is handed over when it is full, and at {@link #finish} what is left.
 *
 * <p>A large {@link Deliver} is divided, so a frame holds no more than {@link #FRAME_BYTES}, the last message's largest
 * delivery, and what names its receivers. Not safe for use by several threads.
 */
public final class FrameBuilder {
    /** From this size on a frame takes no further message. */
    public static final int FRAME_BYTES = 32 * 1024;

    private static final int FIRST_BYTES = 512;
    private static final int DELIVERY_BYTES = 32;

    private final RecordFormat format;
    private final Consumer<byte[]> frames;
    private @Nullable ByteWriter writer;
    /** The format of the frame that is being written. */
    private int written;

    /**
     * Creates an empty one.
     *
     * @param format says in which format frames are written
     * @param frames where finished frames go
     */
    public FrameBuilder(RecordFormat format, Consumer<byte[]> frames) {
        this.format = format;
        this.frames = frames;
    }

    /** Encodes a single message as a frame; a {@link Deliver} is not divided. */
    public static byte[] frameOf(NodeMessage message, RecordFormat format) {
        ByteWriter writer = new ByteWriter(FIRST_BYTES);
        int written = format.toWrite();
        NodeMessageCodec.begin(writer, written);
        NodeMessageCodec.write(writer, message, written);
        return writer.toBytes();
    }

    /** Adds a message, and hands the frame over when that fills it. */
    public void add(NodeMessage message) {
        if (message instanceof Deliver deliver && deliver.deliveries().size() > 1) {
            divide(deliver);
        } else {
            append(message);
        }
    }

    /** Hands over the messages added since the last frame, if there are any. */
    public void finish() {
        ByteWriter full = writer;
        if (full != null) {
            writer = null;
            frames.accept(full.toBytes());
        }
    }

    private void append(NodeMessage message) {
        ByteWriter open = writer;
        if (open == null) {
            open = new ByteWriter(FIRST_BYTES);
            written = format.toWrite();
            NodeMessageCodec.begin(open, written);
            writer = open;
        }
        NodeMessageCodec.write(open, message, written);
        if (open.size() >= FRAME_BYTES) {
            finish();
        }
    }

    private void divide(Deliver deliver) {
        List<Delivery> deliveries = deliver.deliveries();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < deliveries.size(); i++) {
            bytes += sizeOf(deliveries.get(i));
            if (bytes >= FRAME_BYTES || i == deliveries.size() - 1) {
                append(part(deliver, from, i + 1));
                from = i + 1;
                bytes = 0;
            }
        }
    }

    private static Deliver part(Deliver whole, int from, int to) {
        List<Delivery> all = whole.deliveries();
        return to - from == all.size()
                ? whole
                : new Deliver(whole.shard(), whole.ownerEpoch(), whole.connection(), all.subList(from, to));
    }

    private static int sizeOf(Delivery delivery) {
        if (!(delivery.entry() instanceof Queued queued)) {
            return DELIVERY_BYTES;
        }
        return DELIVERY_BYTES + queued.sizeBytes();
    }
}
