package io.tributary.cluster.link;

/** Counts what links do. Called on event loops and by senders; must be cheap. */
public interface LinkRecorder {

    /** Counts nothing. */
    LinkRecorder NONE = new LinkRecorder() {};

    /** A link is up. */
    default void up() {}

    /** A link that was up is down. */
    default void down() {}

    /** What one turn sent, heartbeats included. */
    default void sent(int frames, long bytes) {}

    /** What one read brought, heartbeats not counted as frames. */
    default void received(int frames, long bytes) {}

    /** A frame was not taken: no link any more, or no room. Any thread. */
    default void sendRefused() {}

    /** A connection did not become a link. */
    default void refused(Refusal why) {}

    /** A connection to a peer is tried again. */
    default void reconnecting() {}

    /** A link was closed because nothing came for too long. */
    default void silent() {}

    /** A link was closed because the peer read nothing for too long. */
    default void stalled() {}
}
