package io.tributary.cluster.link;

/**
 * How the direct connections of a node are made.
 *
 * @param clusterId the name of the cluster: a node with another is refused; printable, as names of nodes are
 * @param secret what only the nodes of the cluster know
 * @param host the address to listen at, for other nodes only
 * @param port the port to listen at; 0 for one that is free
 * @param eventLoops how many event loops carry the links
 * @param outboundBytes how many bytes may wait for one peer; one frame may wait whatever its size
 * @param maxHalfOpen how many connections may be open that have not authenticated; the oldest makes room for one more
 * @param timings time limits of links
 */
public record LinkConfig(
        String clusterId,
        ClusterSecret secret,
        String host,
        int port,
        int eventLoops,
        long outboundBytes,
        int maxHalfOpen,
        LinkTimings timings) {
    /**
     * How large a frame between nodes can be: any packet that MQTT allows fits, with what goes with it. Sessions may
     * have messages from a time when clients were allowed larger packets, so what clients may send now says nothing.
     */
    static final int LARGEST_FRAME_BYTES = 512 * 1024 * 1024;

    public LinkConfig {
        if (!NodeId.isName(clusterId)) {
            throw new IllegalArgumentException("cluster id: must have 1 to " + NodeId.MAX_NAME_BYTES
                    + " printable characters, and no # among them");
        }
        if (host.isEmpty() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("host '" + host + "', port " + port);
        }
        if (eventLoops < 1 || maxHalfOpen < 1) {
            throw new IllegalArgumentException("eventLoops " + eventLoops + ", maxHalfOpen " + maxHalfOpen);
        }
        if (outboundBytes < 1) {
            throw new IllegalArgumentException("outboundBytes " + outboundBytes + ": must be positive");
        }
    }

    /** Settings that suit most clusters. */
    public static LinkConfig defaults(String clusterId, ClusterSecret secret, String host, int port) {
        int loops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return new LinkConfig(clusterId, secret, host, port, loops, 64L * 1024 * 1024, 64, LinkTimings.DEFAULT);
    }
}
