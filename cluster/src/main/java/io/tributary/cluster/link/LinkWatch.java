package io.tributary.cluster.link;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a link from falling silent, and closes it when the peer has. Time is counted in ticks of half a heartbeat that
 * pass between two looks at the socket, so that a pause of this process itself is not taken for one of the peer.
 * Confined to the event loop.
 */
final class LinkWatch {
    private final SocketLink link;
    private final PeerConnection connection;
    private final LinkContext context;
    private final int silenceTicks;
    private final int stallTicks;
    private final ScheduledFuture<?> timer;
    private int silent;
    private int stuck;

    /**
     * Begins to watch a link.
     *
     * @param loop the event loop of the connection
     */
    LinkWatch(SocketLink link, PeerConnection connection, LinkContext context, EventExecutor loop) {
        this.link = link;
        this.connection = connection;
        this.context = context;
        LinkTimings timings = context.config().timings();
        long tick = timings.heartbeat().toNanos() / 2;
        silenceTicks = ticks(timings.silence().toNanos(), tick);
        stallTicks = ticks(timings.maxStall().toNanos(), tick);
        timer = loop.scheduleWithFixedDelay(this::tick, tick, tick, TimeUnit.NANOSECONDS);
    }

    /** Bytes came. */
    void heard() {
        silent = 0;
    }

    /** Watches no more. */
    void stop() {
        timer.cancel(false);
    }

    private void tick() {
        link.outbound().beat();
        silent++;
        stuck = link.outbound().isStuck() ? stuck + 1 : 0;
        if (silent > silenceTicks) {
            context.recorder().silent();
            context.refusals().broken(link.peer().toString(), "nothing came for too long");
            connection.close();
        } else if (stuck > stallTicks) {
            context.recorder().stalled();
            context.refusals().broken(link.peer().toString(), "the peer read nothing for too long");
            connection.close();
        }
    }

    private static int ticks(long nanos, long tick) {
        return (int) Math.min(Integer.MAX_VALUE, (nanos + tick - 1) / tick);
    }
}
