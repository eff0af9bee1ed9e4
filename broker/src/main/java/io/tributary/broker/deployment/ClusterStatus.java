package io.tributary.broker.deployment;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node's view of its cluster.
 *
 * @param linkPort the port at which this node listens for links of other nodes
 * @param liveNodes the live nodes, this one counted
 * @param ownedShards the shards that this node owns
 * @param unownedShards the shards that nobody is known to own: their clients cannot connect
 * @param unsavedShards the shards of this node for whose state the store does not work at the moment
 * @param laggingShards the shards of the cluster that are behind by half of the retention of their log: what is
 *     published for their persistent sessions is refused
 * @param oldestAppend for how long the oldest append of this node has waited that Kafka has not acknowledged; zero
 *     where none waits
 * @param behind whether this node is behind the others with subscriptions or retained messages, and therefore takes
 *     no messages from publishers
 * @param formatsHeld whether this node keeps the cluster from writing formats that it reads itself, until an upgrade is
 *     finished
 * @param problems what keeps this node from serving clients at the moment, a sentence each
 * @param warnings what else operators should know, a sentence each: clients are no better off at another node
 * @param ingest what concerns the records of back-ends; null when none are read
 */
public record ClusterStatus(
        int linkPort,
        int liveNodes,
        int ownedShards,
        int unownedShards,
        int unsavedShards,
        int laggingShards,
        Duration oldestAppend,
        boolean behind,
        boolean formatsHeld,
        List<String> problems,
        List<String> warnings,
        @Nullable IngestStatus ingest) {
    public ClusterStatus {
        problems = List.copyOf(problems);
        warnings = List.copyOf(warnings);
    }
}
