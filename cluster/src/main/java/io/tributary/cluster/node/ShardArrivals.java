package io.tributary.cluster.node;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.shard.OwnerTarget;
import io.tributary.broker.shard.Shards;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.AllAttached;
import io.tributary.cluster.node.NodeMessage.AllSettled;
import io.tributary.cluster.node.NodeMessage.AskForAllSettled;
import io.tributary.cluster.node.NodeMessage.AttachRefused;
import io.tributary.cluster.node.NodeMessage.AttachedLater;
import io.tributary.cluster.node.NodeMessage.AttachedTo;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.OwnerMessage;
import io.tributary.cluster.node.NodeMessage.OwnerSpeaks;
import io.tributary.cluster.node.NodeMessage.QosZero;
import io.tributary.cluster.node.NodeMessage.Received;
import io.tributary.cluster.node.NodeMessage.ReceivedLogged;
import io.tributary.cluster.node.NodeMessage.Relayed;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.cluster.node.NodeMessage.Settle;
import io.tributary.cluster.node.NodeMessage.TakenOver;
import io.tributary.cluster.node.NodeMessage.ToOwner;
import io.tributary.common.event.RecordFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Takes messages of shards' owners and of connections on other nodes, and gives them to the connections and owners of
 * this node, which answer through {@link ShardTraffic}. Any thread; never blocks.
 */
final class ShardArrivals {
    private final ShardTraffic traffic;
    private final Shards shards;
    private final ConnectionRegistry connections;
    private final RecordFormat format;
    /** Owners on other nodes, by link and shard; each entry is used by its link's event loop only. */
    private final ConcurrentMap<Link, Map<Integer, OwnerChannel>> spoken = new ConcurrentHashMap<>();

    private record OwnerChannel(long ownerEpoch, OwnerTarget target) {}

    /** @param format says in which format frames are written */
    ShardArrivals(ShardTraffic traffic, Shards shards, ConnectionRegistry connections, RecordFormat format) {
        this.traffic = traffic;
        this.shards = shards;
        this.connections = connections;
        this.format = format;
    }

    /** There is a link to a node: owners here tell its connections everything again. */
    void onUp(Link link) {
        spoken.put(link, new ConcurrentHashMap<>());
        traffic.onUp(link);
        shards.reachable(link.peer().toString());
    }

    /** A link is gone. */
    void onDown(Link link) {
        traffic.onDown(link);
        spoken.remove(link);
    }

    /** The owner of a shard on another node says something; on the link's event loop. */
    void take(Link link, OwnerMessage message) {
        if (message instanceof OwnerSpeaks(int shard, long ownerEpoch)) {
            traffic.onOwner(link, shard, ownerEpoch);
            spokenOver(link).put(shard, new OwnerChannel(ownerEpoch, shards.from(shard, ownerEpoch)));
            return;
        }
        OwnerChannel by = spokenOver(link).get(message.shard());
        if (by == null || by.ownerEpoch != message.ownerEpoch()) {
            return; // nobody says anything before OwnerSpeaks
        }
        OwnerTarget target = by.target;
        switch (message) {
            case OwnerSpeaks _ -> throw new IllegalStateException("taken above");
            case AttachedTo to -> target.attached(to.connection(), to.attached());
            case AttachedLater to -> {
                boolean _ = target.attachedLater(to.connection());
            }
            case AllAttached all -> {
                target.allAttached(all.upTo());
                traffic.onOwnerLive(all.shard(), all.ownerEpoch());
            }
            case AttachRefused refused -> target.refused(refused.connection(), refused.reason());
            case TakenOver from -> target.takenOver(from.connection());
            case AskForAllSettled(int shard, long _, String clientId, long epoch) -> {
                // Not taken, it is not waited for: an owner that gets no answer goes on after a moment.
                boolean _ = link.send(FrameBuilder.frameOf(new AllSettled(shard, clientId, epoch), format));
            }
            case Deliver deliver -> target.deliver(deliver.connection(), deliver.deliveries());
            case ReceivedLogged logged -> target.receivedLogged(logged.connection(), logged.sequences());
            case Relayed relayed -> target.relayed(relayed.epoch(), relayed.packetId());
        }
    }

    private Map<Integer, OwnerChannel> spokenOver(Link link) {
        return spoken.getOrDefault(link, Map.of());
    }

    /** A connection on another node has something for an owner here; on the link's event loop. */
    void take(Link link, ToOwner message) {
        switch (message) {
            case Settle settle ->
                shards.settledElsewhere(settle.shard(), settle.clientId(), settle.epoch(), settle.sequences());
            case Received received ->
                shards.receivedElsewhere(received.shard(), received.clientId(), received.epoch(), received.sequences());
            case AllSettled(int shard, String clientId, long epoch) -> shards.allSettled(shard, clientId, epoch);
            case Resume(int shard) -> shards.reachable(shard, link.peer().toString());
        }
    }

    /** A message of QoS 0 for a session that is connected here, or of which this node knows where. */
    void take(QosZero to) {
        if (!connections.deliverQos0(to.clientId(), to.session(), to.message())) {
            shards.qos0(to.shard(), to.clientId(), to.session(), to.message());
        }
    }
}
