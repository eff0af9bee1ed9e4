package io.tributary.cluster.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outgoing side of one link. Frames wait in a queue whose bytes are limited; the event loop is woken once for all
 * that come before it looks, copies them one behind the other into buffers of the channel as far as it takes them, and
 * flushes once.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of it shows in the channel's own events
final class LinkOutbound {
    private static final Logger LOG = LoggerFactory.getLogger(LinkOutbound.class);
    private static final int CHUNK = 256;
    private static final int BUFFER_BYTES = 32 * 1024;

    /** How many buffers the channel may hold: each may be nearly empty, so that its bytes alone say little. */
    private static final int MAX_BUFFERS = 32;

    /** How many bytes a waiting frame takes besides its content. */
    private static final int FRAME_COST = 32;

    private final Channel channel;
    private final long maxBytes;
    private final LinkRecorder recorder;
    private final MpscUnboundedArrayQueue<byte[]> frames = new MpscUnboundedArrayQueue<>(CHUNK);
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean closed;

    // Confined to the event loop.
    private final CRC32C crc = new CRC32C();
    private final ChannelFutureListener completed = done -> countCompleted();
    private @Nullable ByteBuf buffer;
    private @Nullable Runnable whenFlushed;
    private boolean wrote;
    private long buffersHanded;
    private long buffersCompleted;
    private long lastBuffers;
    private long lastProgress;

    LinkOutbound(Channel channel, long maxBytes, LinkRecorder recorder) {
        this.channel = channel;
        this.maxBytes = maxBytes;
        this.recorder = recorder;
    }

    /** Takes a frame if there is room; any thread. */
    boolean offer(byte[] frame) {
        long size = (long) frame.length + FRAME_COST;
        long before = waiting.getAndAdd(size);
        if (closed || (before > 0 && before + size > maxBytes)) {
            waiting.addAndGet(-size);
            recorder.sendRefused();
            if (closed) {
                wake(); // a flush may have waited for the room that was taken for a moment
            }
            return false;
        }
        frames.offer(frame);
        wake();
        return true;
    }

    /** Writes a heartbeat unless something was written since the last call, or is still to be; event loop only. */
    void beat() {
        if (!wrote && pendingBytes() == 0 && !hasFrames()) {
            append(new byte[0]);
            handOver();
            channel.flush();
            recorder.sent(1, FrameReader.HEADER_BYTES);
        }
        wrote = false;
    }

    /** Whether bytes waited for the socket since the last call, and none went; event loop only. */
    boolean isStuck() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        long progress = pending == null ? 0 : pending.currentProgress();
        boolean stuck = pendingBytes() > 0 && lastBuffers == buffersCompleted && lastProgress == progress;
        lastBuffers = buffersCompleted;
        lastProgress = progress;
        return stuck;
    }

    /** Takes no more, and does the action when all that was taken is written to the socket; event loop only. */
    void finish(Runnable action) {
        closed = true;
        whenFlushed = action;
        wake();
    }

    /** Takes no more, and gives up what is waiting; event loop only. */
    void close() {
        closed = true;
        whenFlushed = null;
        frames.clear();
    }

    /** A frame on its own, for the handshake. */
    static ByteBuf frame(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        return Unpooled.buffer(FrameReader.HEADER_BYTES + content.length)
                .writeInt(content.length)
                .writeInt((int) crc.getValue())
                .writeBytes(content);
    }

    private void wake() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::turn);
            } catch (RejectedExecutionException ended) {
                LOG.debug("event loop is closed, frames are dropped", ended);
            }
        }
    }

    private void turn() {
        scheduled.set(false); // before reading, so that a frame that is missed schedules another turn
        int count = 0;
        long bytes = 0;
        byte[] frame;
        while (hasRoom() && (frame = frames.relaxedPoll()) != null) {
            append(frame);
            count++;
            bytes += frame.length;
        }
        if (count > 0) {
            handOver();
            waiting.addAndGet(-bytes - (long) count * FRAME_COST);
            wrote = true;
            channel.flush();
            recorder.sent(count, bytes + (long) count * FrameReader.HEADER_BYTES);
        }
        if (hasFrames() && hasRoom()) {
            wake(); // other links have their turn first
        }
        finishWhenDone();
    }

    private void append(byte[] frame) {
        int size = FrameReader.HEADER_BYTES + frame.length;
        ByteBuf open = buffer;
        if (open != null && open.writableBytes() < size) {
            handOver();
            open = null;
        }
        if (open == null) {
            open = channel.alloc().ioBuffer(frame.length == 0 ? size : Math.max(size, BUFFER_BYTES));
            buffer = open;
        }
        crc.reset();
        crc.update(frame);
        open.writeInt(frame.length).writeInt((int) crc.getValue()).writeBytes(frame);
    }

    private void handOver() {
        ByteBuf full = buffer;
        if (full != null) {
            buffer = null;
            buffersHanded++;
            channel.write(full).addListener(completed);
        }
    }

    private void finishWhenDone() {
        Runnable action = whenFlushed;
        if (action != null && waiting.get() == 0) {
            whenFlushed = null;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> action.run());
        }
    }

    private long pendingBytes() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null ? 0 : pending.totalPendingWriteBytes();
    }

    /** Whether the channel may be given another buffer; when it may not, one that is written wakes the next turn. */
    private boolean hasRoom() {
        return channel.isWritable() && buffersHanded - buffersCompleted < MAX_BUFFERS;
    }

    private void countCompleted() {
        buffersCompleted++;
        if (hasFrames()) {
            wake();
        }
    }

    /**
     * Whether a frame waits, or a place is taken for one. The queue's own answer overlooks a thread that found a chunk
     * full and makes the next one: until that is done an odd index stands for its place.
     */
    private boolean hasFrames() {
        return frames.lvProducerIndex() != frames.lvConsumerIndex();
    }
}
