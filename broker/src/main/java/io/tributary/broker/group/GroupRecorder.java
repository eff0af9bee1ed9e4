package io.tributary.broker.group;

/** Counts what happens in shared subscriptions of applications. Must be cheap; any thread. */
public interface GroupRecorder {

    /** Counts nothing. */
    GroupRecorder NONE = new GroupRecorder() {};

    /** Why a message went to no member. */
    enum Drop {
        /** No member that is online may receive it. */
        NOT_AUTHORIZED,
        /** It has QoS 0 and no member is online. */
        OFFLINE,
        /** It expired after a member had left it that may have been sent it. */
        EXPIRED,
        /** Messages of QoS 0 came faster than they could be handed out. */
        BUSY
    }

    /** A member left a message unacknowledged that it may have been sent; another one gets it. */
    default void redelivered() {}

    /**
     * A message that members left unacknowledged too often is published as a dead letter, and no member gets it any
     * more.
     */
    default void putAside() {}

    /** A message went to no member. */
    default void dropped(Drop reason) {}
}
