package io.tributary.broker.network;

/** Counts what goes over sockets. Called on event loops; must be cheap. */
public interface NetworkRecorder {

    /** Counts nothing. */
    NetworkRecorder NONE = new NetworkRecorder() {};

    /** A connection was opened. */
    default void opened(String listener) {}

    /** A connection was closed. */
    default void closed(String listener) {}

    /** A connection was closed at once: too many connections wait for a refusal already. */
    default void rejected(String listener) {}

    /** A connection was closed before its CONNECT was looked at. */
    default void refused(String listener, EntryRefusal reason) {}

    /** A connection could not be accepted: the system had no file descriptor left, or said no for another reason. */
    default void unaccepted(String listener) {}

    /** What one read brought. */
    default void received(int packets, int bytes) {}

    /** What one flush sent. */
    default void sent(int packets, int bytes) {}

    /** A connection was closed: no memory for buffers of sockets was left. */
    default void withoutMemory() {}

    /** A client read nothing for too long and was disconnected. */
    default void stalled() {}
}
