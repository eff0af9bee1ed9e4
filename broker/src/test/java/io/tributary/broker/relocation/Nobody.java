package io.tributary.broker.relocation;

import org.jspecify.annotations.Nullable;

/** A process without a node that serves clients. */
final class Nobody implements Host {
    @Override
    public @Nullable ServingNode node() {
        return null;
    }

    @Override
    public boolean release() {
        return true;
    }

    @Override
    public void resume() {}
}
