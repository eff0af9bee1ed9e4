package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Acts when a client reads nothing for too long while something waits for it. Confined to the event loop. */
final class StallGuard {
    private final Channel channel;
    private final Duration limit;
    private final Runnable onStall;
    private @Nullable ScheduledFuture<?> timer;

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
            timer = channel.eventLoop().schedule(onStall, limit.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Watches no more. */
    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
