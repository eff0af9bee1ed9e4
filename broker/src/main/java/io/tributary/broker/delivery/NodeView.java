package io.tributary.broker.delivery;

/**
 * Whether this node knows what the other nodes know. One that was paused, or is cut off from what all nodes share, may
 * have missed a subscription that others have acknowledged: it must take no PUBLISH and no SUBSCRIBE until it has
 * caught up. Any thread; never blocks.
 */
public interface NodeView {

    /** That of a node that is alone. */
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
