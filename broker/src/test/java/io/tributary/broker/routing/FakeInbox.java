package io.tributary.broker.routing;

import io.tributary.broker.delivery.HandoverCallback;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Other nodes that remember what they were given, and take it when the test says so. */
final class FakeInbox implements NodeInbox {
    /** What another node was given. */
    record Sent(Message message, NodeShare share, HandoverCallback callback) {}

    /** What a persistent session was given elsewhere. */
    record SentQos0(String clientId, long session, Queued message) {}

    final List<Sent> sent = new ArrayList<>();
    final List<SentQos0> sentQos0 = new ArrayList<>();
    /** The clients that have connections elsewhere. */
    final Set<String> reachable = new HashSet<>();

    @Override
    public void deliver(
            String node, Message message, List<Recipient> members, boolean matching, HandoverCallback callback) {
        sent.add(new Sent(message, new NodeShare(node, members, matching), callback));
    }

    @Override
    public boolean deliverQos0(String clientId, long session, Queued message) {
        return reachable.contains(clientId) && sentQos0.add(new SentQos0(clientId, session, message));
    }

    @Override
    public void deliverShared(
            String node, String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        throw new AssertionError("the router does not hand out what applications share");
    }

    List<NodeShare> shares() {
        return sent.stream().map(Sent::share).toList();
    }
}
