package io.tributary.cluster.node;

import io.tributary.cluster.link.Link;
import io.tributary.cluster.link.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** A link that keeps what it takes, and takes all frames but those that it is told to refuse. */
final class NarrowLink implements Link {
    final List<NodeMessage> taken = new ArrayList<>();
    /** Picks the frames to refuse by their number, from 1. */
    IntPredicate refuses = _ -> false;

    private int frames;

    @Override
    public NodeId peer() {
        return new NodeId("other", 1);
    }

    @Override
    public long generation() {
        return 1;
    }

    @Override
    public boolean send(byte[] frame) {
        if (refuses.test(++frames)) {
            return false;
        }
        taken.addAll(NodeMessageCodec.decode(frame));
        return true;
    }
}
