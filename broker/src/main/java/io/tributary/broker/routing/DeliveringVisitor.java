package io.tributary.broker.routing;

import io.tributary.broker.routing.RouterRecorder.Drop;
import io.tributary.broker.subscription.Grant;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands the copies of one message straight to this node's connections, and collects those that need a log and those
 * that are for other nodes; tells the publisher what to wait for. One thread.
 */
final class DeliveringVisitor implements Selection.Visitor {
    private final RouterOutputs outputs;
    private final RouterRecorder recorder;
    private final @Nullable Consumer<RoomQueue> publisher;
    private final Copies copies;
    private @Nullable Recipient first;
    private @Nullable List<Recipient> all;
    private @Nullable Shares shares;
    private int receivers;

    /** @param publisher told what the publisher is to wait for before it publishes more; null when it never waits */
    DeliveringVisitor(
            Message message, RouterOutputs outputs, RouterRecorder recorder, @Nullable Consumer<RoomQueue> publisher) {
        this.outputs = outputs;
        this.recorder = recorder;
        this.publisher = publisher;
        this.copies = new Copies(message);
    }

    @Override
    public void visit(Subscriber subscriber, Grant grant, @Nullable String group) {
        if (subscriber.node() != null) {
            addMember(subscriber.node(), copies.recipient(subscriber, grant, group));
            return;
        }
        receivers++;
        if (!subscriber.persistent()) {
            outputs.connections().deliverTransient(subscriber.identity(), copies.queued(grant, group), publisher);
        } else if (copies.qos(grant).isAcknowledged()) {
            append(copies.recipient(subscriber, grant, group));
        } else if (!outputs.deliverQos0(
                subscriber.clientId(), subscriber.identity(), copies.queued(grant, group), publisher)) {
            recorder.dropped(Drop.OFFLINE);
        }
    }

    /** How many copies there are, without those of other nodes, which count them themselves. */
    int receivers() {
        return receivers;
    }

    /** The copies that are for persistent sessions and acknowledged. */
    List<Recipient> recipients() {
        if (all != null) {
            return all;
        }
        return first == null ? List.of() : List.of(first);
    }

    /**
     * The shares of other nodes.
     *
     * @param matching the other nodes that match the message themselves
     */
    List<NodeShare> shares(List<String> matching) {
        if (shares == null && matching.isEmpty()) {
            return List.of();
        }
        return (shares == null ? new Shares() : shares).of(matching);
    }

    private void addMember(String node, Recipient member) {
        if (shares == null) {
            shares = new Shares();
        }
        shares.add(node, member);
    }

    private void append(Recipient recipient) {
        if (all != null) {
            all.add(recipient);
        } else if (first == null) {
            first = recipient;
        } else {
            all = new ArrayList<>();
            all.add(first);
            all.add(recipient);
        }
    }
}
