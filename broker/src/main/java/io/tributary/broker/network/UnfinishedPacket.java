package io.tributary.broker.network;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A packet of one connection of which only a part has come, or that the connection holds until it can be taken. While
 * memory for such packets is short, a packet that is not finished in time ends its connection. Where the broker takes
 * no packets of the connection, what is here may be whole packets: they count as memory, but the connection does not
 * wait for more, and the time does not count.
 *
 * <p>When a client ends its side, Netty reads all that the system has of it, though the connection is not to be read.
 * Where there is no memory for that, the connection ends. Confined to the event loop.
 */
final class UnfinishedPacket {
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** For the next bytes of a packet. */
    private static final long PATIENCE_NANOS = 2 * CHECK_NANOS;
    /** For a whole packet. */
    private static final long LONGEST_NANOS = 10 * CHECK_NANOS;
    /** For a whole packet that was not read for want of memory. */
    private static final long LONGEST_WAITING_NANOS = 30 * CHECK_NANOS;

    /** How much may come of a connection after it is not to be read: the rest of a read, also out of TLS. */
    private static final int REST_OF_READ = 128 * 1024;

    private final EventLoop loop;
    private final UnfinishedPackets all;
    private final BooleanSupplier isHeldByBroker;
    private final Runnable resume;
    private final Runnable giveUp;
    private int here;
    private boolean isUnread;
    private int cameUnread;
    private long held;
    private long begunAtNanos;
    private long grownAtNanos;
    private boolean isWaiting;
    private Runnable stopWaiting = () -> {};
    private @Nullable ScheduledFuture<?> timer;

    /**
     * Creates it for a connection of which no packet is unfinished.
     *
     * @param isHeldByBroker whether the broker takes no packets of the connection, for a reason of its own
     * @param resume run when the connection may be read again
     * @param giveUp run when the packet took too long, or more came than there is memory for; the last thing done here
     */
    UnfinishedPacket(
            EventLoop loop, UnfinishedPackets all, BooleanSupplier isHeldByBroker, Runnable resume, Runnable giveUp) {
        this.loop = loop;
        this.all = all;
        this.isHeldByBroker = isHeldByBroker;
        this.resume = resume;
        this.giveUp = giveUp;
    }

    /** Whether the connection is not to be read until there is memory again. */
    boolean isWaiting() {
        return isWaiting;
    }

    /**
     * Whether a large packet may be decoded that is here in full: it might have to be held then. If not, the connection
     * waits for memory; what is here of it meanwhile, a read, is not counted, or nobody would have any.
     */
    boolean mayBegin() {
        if (held == 0 && !isWaiting && all.isTaken()) {
            await();
        }
        return !isWaiting;
    }

    private void await() {
        isWaiting = true;
        stopWaiting = all.await(() -> loop.execute(this::wake));
    }

    /**
     * Notes how many bytes of the packet are here.
     *
     * @param memory how many bytes the buffer takes that they are in
     * @param isAnother whether it is another packet than before
     */
    void hold(int bytes, int memory, boolean isAnother) {
        long counted = bytes <= UnfinishedPackets.FREE_BYTES ? 0 : memory;
        boolean isToBegin = held == 0 && isWaiting;
        if (isToBegin ? counted > 0 && bytes <= REST_OF_READ : counted == 0 && held == 0) {
            return; // as after nearly every read
        }
        long more = counted - held;
        boolean mayGoOn = more == 0 || all.change(more, held > 0);
        if (counted == 0) {
            held = 0;
            stopWaiting.run();
            isWaiting = false;
            isUnread = false;
            stopTimer();
            return;
        }
        long now = loop.ticker().nanoTime();
        boolean isNew = isAnother || held == 0;
        begunAtNanos = isNew ? now : begunAtNanos;
        grownAtNanos = isNew || bytes > here ? now : grownAtNanos;
        cameUnread = isUnread && bytes > here ? cameUnread + bytes - here : 0;
        here = bytes;
        held = counted;
        startTimer();
        boolean isHeld = isHeldByBroker.getAsBoolean();
        if (more > 0 && !mayGoOn && !isWaiting && !isHeld) {
            await();
        }
        isUnread = isWaiting || isHeld;
        if (cameUnread > REST_OF_READ && all.isFull()) {
            giveUp.run();
        }
    }

    /** There is no packet any more. */
    void release() {
        hold(0, 0, true);
    }

    private void wake() {
        if (isWaiting) {
            isWaiting = false;
            grownAtNanos = loop.ticker().nanoTime();
            resume.run();
        }
    }

    private void startTimer() {
        if (timer == null) {
            timer = loop.scheduleAtFixedRate(this::check, CHECK_NANOS, CHECK_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private void stopTimer() {
        Future<?> running = timer;
        if (running != null) {
            running.cancel(false);
            timer = null;
        }
    }

    private void check() {
        if (isHeldByBroker.getAsBoolean()) {
            begunAtNanos += CHECK_NANOS;
            grownAtNanos += CHECK_NANOS;
            return;
        }
        long now = loop.ticker().nanoTime();
        boolean isTooSlow = isWaiting
                ? now - begunAtNanos >= LONGEST_WAITING_NANOS
                : now - begunAtNanos >= LONGEST_NANOS || now - grownAtNanos >= PATIENCE_NANOS;
        if (isTooSlow && all.isShort()) {
            giveUp.run();
        }
    }
}
