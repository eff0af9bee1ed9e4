package io.tributary.cluster.link;

import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** What {@link Peers} knows of one name; plain fields, confined to the thread that decides on links. */
final class Peer {
    /** The newest process of this name that was heard of. */
    NodeId id;

    InetSocketAddress address;

    /** Whether it is one of the nodes that there are to be links with. */
    boolean wanted = true;

    /** The connection that is on its way up, up, or not down yet. */
    @Nullable
    PeerConnection current;

    /** The authenticated connection that is up next, when the current one is down. */
    @Nullable
    PeerConnection waiting;

    /** The attempt to connect that has not authenticated yet. */
    @Nullable
    PeerConnection dialing;

    /** The next attempt. */
    @Nullable
    ScheduledFuture<?> retry;

    boolean dialed;
    final Backoff backoff = new Backoff();

    Peer(NodeId id, InetSocketAddress address) {
        this.id = id;
        this.address = address;
    }

    boolean isIdle() {
        return current == null && waiting == null && dialing == null && retry == null;
    }

    void cancelRetry() {
        if (retry != null) {
            retry.cancel(false);
            retry = null;
        }
    }

    /** Closes all connections to another process than the newest one, or all when it is not wanted any more. */
    void closeOutdated() {
        closeUnlessNewest(dialing);
        closeUnlessNewest(waiting);
        closeUnlessNewest(current);
    }

    private void closeUnlessNewest(@Nullable PeerConnection channel) {
        if (channel != null && !(wanted && id.equals(channel.peer()))) {
            channel.close();
        }
    }
}
