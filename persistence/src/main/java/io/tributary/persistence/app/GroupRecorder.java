package io.tributary.persistence.app;

/**
 * Counts what happens to the messages of application groups. Called on threads of the implementation and on those of its
 * callers, on hot paths: it must be quick, never block and never throw.
 */
public interface GroupRecorder {

    /** Counts nothing. */
    GroupRecorder NONE = new GroupRecorder() {};

    /** Messages were handed to a consumer, the first time or again. */
    default void onMessages(int messages) {}

    /** Messages were released, or left unanswered by a consumption that was closed. */
    default void onReleased(int messages) {}

    /** Messages were given up: rejected, or taken as often as is allowed. */
    default void onDeadLetters(int messages) {}

    /** Taking or answering messages, or asking the servers something, failed; it is tried again. */
    default void onError() {}
}
