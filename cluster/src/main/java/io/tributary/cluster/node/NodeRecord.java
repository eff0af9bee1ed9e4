package io.tributary.cluster.node;

import java.nio.charset.StandardCharsets;

/**
 * What the node table holds of a node, under the node's name: the newest process of it.
 *
 * @param incarnation which process; a newer one has a larger number
 * @param host where the process listens for links: an address, or a name that is looked up; at most
 *     {@value #MAX_HOST_BYTES} bytes
 * @param port the port to that, 1 to 65535
 * @param format the newest format of records that the process lets others write: the newest that it reads, or on hold
 *     an older one; 1 to {@value #MAX_FORMAT}
 * @param written the newest format that the cluster has written as far as the process knows, or that it is about to
 *     write; at most {@code format}
 * @param state where it is in its life
 * @param heartbeat grows with each record that the process writes
 * @param writtenMillis when it wrote this one, by its own wall clock
 * @param links how many other nodes it had links with then
 * @param part its part in sharing out the shards
 */
public record NodeRecord(
        long incarnation,
        String host,
        int port,
        int format,
        int written,
        NodeState state,
        long heartbeat,
        long writtenMillis,
        int links,
        ShardPart part) {
    /** How long a host may be, in bytes of UTF-8. */
    public static final int MAX_HOST_BYTES = 255;

    /** The largest number of a format. */
    public static final int MAX_FORMAT = 255;

    public NodeRecord {
        if (incarnation < 0 || heartbeat < 0 || links < 0) {
            throw new IllegalArgumentException(
                    "incarnation " + incarnation + ", heartbeat " + heartbeat + ", links " + links);
        }
        if (host.isEmpty() || host.getBytes(StandardCharsets.UTF_8).length > MAX_HOST_BYTES) {
            throw new IllegalArgumentException("host: must have 1 to " + MAX_HOST_BYTES + " bytes");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port " + port + ": must be 1 to 65535");
        }
        if (format < 1 || format > MAX_FORMAT) {
            throw new IllegalArgumentException("format " + format + ": must be 1 to " + MAX_FORMAT);
        }
        if (written < 1 || written > format) {
            throw new IllegalArgumentException("written " + written + ": must be 1 to " + format);
        }
    }

    /** The same process in another state. */
    NodeRecord in(NodeState newState) {
        return new NodeRecord(
                incarnation, host, port, format, written, newState, heartbeat, writtenMillis, links, part);
    }

    /** The same process, a heartbeat later. */
    NodeRecord beat(int newFormat, int newWritten, long nowMillis, int nowLinks, ShardPart nowPart) {
        return new NodeRecord(
                incarnation, host, port, newFormat, newWritten, state, heartbeat + 1, nowMillis, nowLinks, nowPart);
    }

    /**
     * Whether this is to replace what is known of the node: a newer process, or the same one further on. A record that
     * was late is not.
     */
    boolean follows(NodeRecord known) {
        if (incarnation != known.incarnation) {
            return incarnation > known.incarnation;
        }
        return !known.state.isFinal() && state.compareTo(known.state) >= 0;
    }
}
