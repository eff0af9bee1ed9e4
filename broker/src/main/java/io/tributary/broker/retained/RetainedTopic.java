package io.tributary.broker.retained;

import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The retained message of one topic and the writes that are on their way to the store.
 *
 * <p>At most one write is on its way and one waits behind it. A message that comes meanwhile takes the place of the
 * waiting one, and both are done when that write is. So a flood on one topic takes the memory of two messages. While
 * there are writes the topic shows the newest of them, afterwards what the store brought back last, which may be
 * another node's.
 *
 * <p>A topic that shows nothing and writes nothing is retired: it accepts no call any more, and another one takes its
 * place.
 */
final class RetainedTopic {
    private final String name;
    private final RetainedBudget budget;
    private volatile @Nullable Message shown;

    // Guarded by this.
    /** The shown message as far as the limits count it: null for a volatile one. */
    private @Nullable Message counted;

    private @Nullable Message stored;
    private @Nullable Write underWay;
    private @Nullable Write waiting;
    private boolean retired;

    RetainedTopic(String name, RetainedBudget budget) {
        this.name = name;
        this.budget = budget;
    }

    String name() {
        return name;
    }

    /** The message that new subscriptions get, or null. */
    @Nullable
    Message message() {
        return shown;
    }

    /** Shows the message, or nothing, and has it written. */
    synchronized Answer put(@Nullable Message message) {
        if (retired) {
            return Answer.Without.RETIRED;
        }
        if (message != null && !admit(message)) {
            retireIfIdle();
            return Answer.Without.REFUSED;
        }
        if (shown == null && message == null && underWay == null) {
            retireIfIdle();
            return Answer.Without.NOTHING_TO_DO;
        }
        show(message);
        return enqueue(message);
    }

    /** Has the message removed if it is expired. */
    synchronized Answer removeIfExpiredAt(long nowMillis) {
        Message message = shown;
        return message != null && message.isExpiredAt(nowMillis) ? put(null) : Answer.Without.NOTHING_TO_DO;
    }

    /** Takes a stored message; returns whether the topic was still in use. */
    synchronized boolean followed(@Nullable Message message) {
        if (retired) {
            return false;
        }
        stored = message;
        if (underWay == null) {
            show(message);
        }
        retireIfIdle();
        return true;
    }

    /**
     * Shows a message that is not stored and that no limit counts, or none of these any more, unless something is being
     * written; tells whether the topic was still there to take it.
     */
    synchronized boolean showVolatile(@Nullable Message message) {
        if (retired) {
            return false;
        }
        if (underWay == null && message == null) {
            show(stored);
        } else if (underWay == null) {
            count(null);
            shown = message;
        }
        retireIfIdle();
        return true;
    }

    /**
     * The write under way is done with.
     *
     * @return the next one, which is under way now, or null
     */
    synchronized @Nullable Write written() {
        underWay = waiting;
        waiting = null;
        if (underWay == null) {
            show(stored);
        }
        retireIfIdle();
        return underWay;
    }

    synchronized boolean isRetired() {
        return retired;
    }

    private Answer enqueue(@Nullable Message message) {
        if (underWay == null) {
            underWay = new Write(message);
            return new Answer.Start(underWay, underWay.awaited());
        }
        if (waiting == null) {
            waiting = new Write(message);
        } else {
            waiting.message = message;
        }
        return new Answer.Queued(waiting.awaited());
    }

    private boolean admit(Message message) {
        if (!budget.admit(counted, message)) {
            return false;
        }
        counted = message;
        shown = message;
        return true;
    }

    private void show(@Nullable Message message) {
        count(message);
        shown = message;
    }

    private void count(@Nullable Message message) {
        budget.replace(counted, message);
        counted = message;
    }

    private void retireIfIdle() {
        retired = shown == null && underWay == null;
    }

    /** The outcome of a request to write. */
    sealed interface Answer {
        /** Nothing is written. */
        enum Without implements Answer {
            /** The topic is retired: another one has to be asked. */
            RETIRED,
            /** There is no room for one more message. */
            REFUSED,
            /** All is as wanted. */
            NOTHING_TO_DO
        }

        /** The caller is to start the write, and to call {@link #written} when it is done. */
        record Start(Write write, CompletionStage<Boolean> done) implements Answer {}

        /** The write, which may be another publisher's too, starts when the one under way is done. */
        record Queued(CompletionStage<Boolean> done) implements Answer {}
    }

    /**
     * One write to the store. A newer message may take the place of its message until the write starts; who comes later
     * waits for the next write.
     */
    static final class Write {
        /**
         * Of those who await it, in the order in which their messages came, so that live messages come in the order in
         * which they are retained.
         */
        private final List<CompletableFuture<Boolean>> done = new ArrayList<>(1);

        @Nullable
        Message message;

        Write(@Nullable Message message) {
            this.message = message;
        }

        private CompletionStage<Boolean> awaited() {
            CompletableFuture<Boolean> mine = new CompletableFuture<>();
            done.add(mine);
            return mine;
        }

        void succeed() {
            done.forEach(each -> each.complete(true));
        }

        void fail(Throwable failure) {
            done.forEach(each -> each.completeExceptionally(failure));
        }
    }
}
