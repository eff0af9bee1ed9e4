package io.tributary.broker.routing;

import io.tributary.common.mqtt.Message;
import org.jspecify.annotations.Nullable;

/** Counts what the router does. Any thread; must not block. */
public interface RouterRecorder {

    /** Counts nothing. */
    RouterRecorder NONE = new RouterRecorder() {};

    /** Why a message, or one copy of it, went nowhere. */
    enum Drop {
        /** No session subscribes to the topic. */
        NO_SUBSCRIBERS,
        /** The publisher may not publish it. */
        PUBLISH_NOT_AUTHORIZED,
        /** The receiver may not receive it. */
        RECEIVE_NOT_AUTHORIZED,
        /** An interceptor said so, or failed. */
        INTERCEPTED,
        /**
         * There is no room for one more retained message; where its publisher cannot be told, subscribers get it all
         * the same.
         */
        RETAINED_LIMIT,
        /** QoS 0, and too many of the same publisher wait behind a retained one that is being written. */
        BACKLOG,
        /** QoS 0, and the persistent session is not connected. */
        OFFLINE,
        /** The log or the store is closed or broken. */
        FAILED
    }

    /** A message came in, from a client or from the broker itself. */
    default void received(Message message) {}

    /** Copies of a message were handed on to that many receivers. */
    default void delivered(int receivers) {}

    /** A message, or one copy of it, goes nowhere. */
    default void dropped(Drop reason) {}

    /**
     * The same where somebody may not publish or receive it.
     *
     * @param ruleSet the name of the rule set that says so; null where none does
     */
    default void notAuthorized(Drop reason, @Nullable String ruleSet) {
        dropped(reason);
    }
}
