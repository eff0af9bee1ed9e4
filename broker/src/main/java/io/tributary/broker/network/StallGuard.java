package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Acts when a client reads nothing for too long while something waits for it. One that reads slowly stays, for as long
 * as less waits from one look to the next. Confined to the event loop.
 */
final class StallGuard {
    /** So many in a row find no less: an answer may hide what was taken, and the process may have paused. */
    private static final int LOOKS = 2;

    private final Channel channel;
    private final Duration limit;
    private final Runnable onStall;
    private @Nullable ScheduledFuture<?> timer;
    private long waitingBytes;
    private int idleLooks;

    /** Creates a guard; a limit of zero means never. */
    StallGuard(Channel channel, Duration limit, Runnable onStall) {
        this.channel = channel;
        this.limit = limit;
        this.onStall = onStall;
    }

    /** The channel became writable, or not. */
    void writable(boolean writable) {
        stop();
        if (!writable && limit.isPositive()) {
            waitingBytes = waitingBytes(channel);
            idleLooks = 0;
            long pause = Math.ceilDiv(limit.toNanos(), LOOKS);
            timer = channel.eventLoop().scheduleWithFixedDelay(this::look, pause, pause, TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        long before = waitingBytes;
        waitingBytes = waitingBytes(channel);
        if (waitingBytes < before) {
            idleLooks = 0;
        } else if (++idleLooks == LOOKS) {
            stop();
            onStall.run();
        }
    }

    /** What the socket has not taken yet; of the first message, which may be large, the rest alone. */
    static long waitingBytes(Channel channel) {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes() - waiting.currentProgress();
    }

    /** Watches no more. */
    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
