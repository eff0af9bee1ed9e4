package io.tributary.broker.loop;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.tributary.common.thread.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of other threads into one event loop, and the end of that loop's turn. Letters are handled in the order in
 * which each thread posted them; the loop is woken once for all that come before it looks. When the letters of a turn
 * are handled, everything that was asked for the turn's end is done once: this is where sockets are flushed.
 *
 * <p>The queue itself has no limit. What is posted is limited by its senders: deliveries of an owner by the
 * session's window, transient messages by the session's inbox, all else to one letter for something that the session
 * itself began.
 */
public final class LoopMailbox {
    private static final Logger LOG = LoggerFactory.getLogger(LoopMailbox.class);
    private static final int CHUNK = 1_024;

    /** How many letters a turn handles before it lets sockets be read and written. */
    private static final int MAX_LETTERS = 8_192;

    /** From the log's writer to a shard, and back for what that appends. */
    private static final int MAX_ROUNDS = 3;

    private final EventExecutor loop;
    private final MpscUnboundedArrayQueue<Runnable> letters = new MpscUnboundedArrayQueue<>(CHUNK);
    private final AtomicBoolean scheduled = new AtomicBoolean();

    // Confined to the event loop.
    private final LoopShare slow;
    private final TemplateCache templates = new TemplateCache();
    private List<Runnable> turnEnds = new ArrayList<>();
    private List<Runnable> spare = new ArrayList<>();
    private boolean handling;
    private boolean helping;
    private @Nullable Turn turn;

    /** Creates the mailbox of an event loop. */
    public LoopMailbox(EventExecutor loop) {
        this.loop = loop;
        slow = new LoopShare(loop, loop.ticker()::nanoTime);
        if (loop instanceof SingleThreadEventExecutor) { // it has a thread of its own
            post(() -> turn = Turn.begin(this::endsTurn));
        }
    }

    /** Has the event loop run the action; any thread. */
    public void post(Runnable letter) {
        letters.offer(letter);
        if (!isHelping()) { // else the letters are handled next
            wake();
        }
    }

    /**
     * Runs the action at once when the caller is on the event loop; otherwise the loop runs it, behind actions that
     * were posted before. Any thread.
     */
    public void run(Runnable action) {
        if (loop.inEventLoop() && !helping) {
            action.run();
        } else {
            post(action);
        }
    }

    /**
     * Whether this is called by a worker that the event loop helps, and whose own thread may have posted something
     * before.
     */
    private boolean isHelping() {
        return loop.inEventLoop() && helping;
    }

    /** Does the action once at the end of this turn; event loop only. Callers see to it that they ask once a turn. */
    public void atEndOfTurn(Runnable action) {
        assert inLoop();
        turnEnds.add(action);
        if (!handling) {
            wake();
        }
    }

    /**
     * Does a step of what may take long in all, behind steps that were given before: these get half of the loop's time
     * at most ({@link LoopShare}). Event loop only.
     */
    public void slowly(Runnable step) {
        assert inLoop();
        slow.run(() -> handle(step));
    }

    /** Does the steps that wait, for the event loop is about to end. Event loop only. */
    void finish() {
        assert inLoop();
        slow.finish();
    }

    /** The event loop, for timers. */
    public EventExecutor loop() {
        return loop;
    }

    /** Whether the calling thread is the event loop; objects that are confined to the loop assert this. */
    public boolean inLoop() {
        return loop.inEventLoop();
    }

    /** Encoded messages that several sessions of this loop send in the same turn; event loop only. */
    public TemplateCache templates() {
        return templates;
    }

    /** Sees to it that {@link #help} is called; it follows letters anyway. */
    private boolean endsTurn() {
        return handling || helping || wake();
    }

    private boolean wake() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            try {
                loop.execute(this::turn);
            } catch (RejectedExecutionException closed) {
                LOG.debug("event loop is closed, letters are dropped", closed);
                scheduled.set(false);
                return false;
            }
        }
        return true;
    }

    private void turn() {
        // Before reading: who posts a letter later than the last look at the queue wakes the loop.
        scheduled.set(false);
        boolean isLeft = handleLetters();
        isLeft |= help();
        if (isLeft) {
            wake();
        }
        endTurn();
    }

    /**
     * Gives false when all were handled. A thread that posts takes its place in the queue first, and its letter may
     * become visible later than its look at {@link #scheduled}: such a place counts as a letter that is left.
     */
    private boolean handleLetters() {
        handling = true;
        letters.drain(LoopMailbox::handle, MAX_LETTERS);
        handling = false;
        return !isEmpty(letters);
    }

    /**
     * Whether no place is taken. The queue's own answers, and its {@code peek}, overlook a thread that found a chunk
     * full and makes the next one: until that is done an odd index stands for its place. A fence behind {@code offer}
     * would do as well, but each letter would pay for it.
     */
    static boolean isEmpty(MpscUnboundedArrayQueue<?> queue) {
        return queue.lvProducerIndex() == queue.lvConsumerIndex();
    }

    /**
     * Does the work that was given to idle workers in this turn, and the work that results; returns false when nothing
     * is left to do.
     */
    private boolean help() {
        Turn own = turn;
        if (own == null) {
            return false;
        }
        boolean isLeft = false;
        for (int round = 0; round < MAX_ROUNDS && own.isDue(); round++) {
            helping = true;
            try {
                own.end();
            } finally {
                helping = false;
            }
            isLeft |= handleLetters();
        }
        return isLeft || own.isDue();
    }

    /** Actions that are posted meanwhile belong to the next turn, so that reading has its turn, too. */
    private void endTurn() {
        List<Runnable> due = turnEnds;
        turnEnds = spare;
        spare = due;
        due.forEach(LoopMailbox::handle);
        due.clear();
        templates.clear();
    }

    private static void handle(Runnable letter) {
        try {
            letter.run();
        } catch (RuntimeException | Error failure) { // the letters behind it, and the turn's end, are not to blame
            LOG.error("a letter to an event loop failed", failure);
        }
    }
}
