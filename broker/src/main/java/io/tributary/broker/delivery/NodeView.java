package io.tributary.broker.delivery;

/**
 * Whether this node knows what the other nodes know. A node that was paused, or is cut off from the shared maps, may
 * have missed a subscription that others have acknowledged: it must take no PUBLISH and no SUBSCRIBE until it has
 * caught up. Any thread; never blocks.
 */
public interface NodeView {

    /** The view of a node that is alone: always current. */
    NodeView STANDALONE = new NodeView() {
        @Override
        public boolean isCurrent() {
            return true;
        }

        @Override
        public void onCurrent(Runnable action) {
            action.run();
        }
    };

    /** Whether it does; asked for each PUBLISH, SUBSCRIBE and UNSUBSCRIBE. */
    boolean isCurrent();

    /** Runs the action once when it does, at once if it does now; on any thread. It must not block. */
    void onCurrent(Runnable action);
}
