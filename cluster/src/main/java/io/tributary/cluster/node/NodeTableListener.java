package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Told of the processes in the node table: of each at most one {@link #onAlive}, then at most one {@link #onLive}, then
 * one {@link #onGone}. This process itself is not reported, an earlier one of its own name is. All calls come on the
 * map's thread in the order of the table, after the queries of {@link NodeTable} answer accordingly, and must not
 * block.
 */
public interface NodeTableListener {

    /** There is a process, which may still be joining: time to link with it. The address is not looked up. */
    void onAlive(NodeId node, InetSocketAddress address);

    /** The process is about to serve clients: from now on it is to be waited for. */
    void onLive(NodeId node);

    /** The process was declared dead, has left, or was replaced by a newer one of its name. */
    void onGone(NodeId node);

    /**
     * Nothing was heard of a process for more than half of what has it declared dead; told again with each heartbeat of
     * this process while that goes on.
     *
     * @param silent how long, as this process counts it
     */
    void onSilent(NodeId node, Duration silent);

    /** Most other nodes take this process for gone, and have its shards; for some time. Any thread. */
    void onSuspected();

    /** Whether a process is known to serve a shard; the pace at which shards go over. Any thread, with a lock held. */
    boolean isServed(int shard, NodeId by);

    /** How many other nodes there are links with; for the next record of this process. Any thread. */
    int links();

    /**
     * This process was declared dead, or replaced by a newer one of its name. It writes no more heartbeats; it is to
     * close its connections first, and may then join as a new incarnation through a new {@link NodeTable}. Called once.
     */
    void onDeclaredDead();

    /**
     * Kafka has written the records that follow at this time, by the clock of its server.
     *
     * @param timeMillis milliseconds since the epoch
     */
    void onTime(long timeMillis);
}
