package io.tributary.cluster.node;

import io.tributary.cluster.link.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * A node that is there, as another one knows it.
 *
 * @param id the process
 * @param state where it is in its life
 * @param format the newest format that it lets others write
 * @param takesShards whether it takes shards, as far as it says
 * @param stats what it has said of itself lately, to be read only; null when it has not, and of this node itself
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared or modified
public record Member(NodeId id, NodeState state, int format, boolean takesShards, byte @Nullable [] stats) {}
