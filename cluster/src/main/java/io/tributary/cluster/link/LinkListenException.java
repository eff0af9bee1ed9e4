package io.tributary.cluster.link;

import org.jspecify.annotations.Nullable;

/** This node cannot listen for other nodes. */
public final class LinkListenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LinkListenException(LinkConfig config, @Nullable Throwable cause) {
        super("cannot listen for other nodes on " + config.host() + ":" + config.port(), cause);
    }
}
