package io.tributary.broker.link;

import java.util.concurrent.ConcurrentMap;

/**
 * What all connections of a node share.
 *
 * @param links those that are up: at most one a peer
 */
record LinkContext(
        LinkIdentity identity,
        LinkConfig config,
        LinkReceiver receiver,
        LinkRecorder recorder,
        ConcurrentMap<NodeId, SocketLink> links,
        Peers peers,
        HalfOpen halfOpen,
        RefusalLog refusals) {}
