package io.tributary.cluster.node;

/**
 * Counts what happens between nodes. Called on any thread, on hot paths: it must be quick, never block and never throw.
 */
public interface ClusterRecorder {

    /** Counts nothing. */
    ClusterRecorder NONE = new ClusterRecorder() {};

    /** A message was handed to another node, for its transient sessions. */
    default void onHandedOver() {}

    /** A message for another node's transient sessions was not taken by it: no link, no room, or no answer in time. */
    default void onGivenUp() {}

    /** A node was left out by the nodes that wait until a change is visible everywhere, until it has caught up. */
    default void onLeftOut() {}

    /** A change was refused because too many wait until they are visible everywhere. */
    default void onVisibilityRefused() {}

    /** Most other nodes took this one for gone, and got its shards. */
    default void onSuspected() {}

    /** This node was declared dead by the others, and begins anew. */
    default void onDeclaredDead() {}
}
