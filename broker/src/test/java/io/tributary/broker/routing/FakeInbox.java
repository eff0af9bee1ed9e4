package io.tributary.broker.routing;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.broker.delivery.NodeInbox;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.thread.RoomQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Other nodes that remember what they were given, and take it when the test says so. */
final class FakeInbox implements NodeInbox {
    /** What another node was given. */
    record Sent(Message message, NodeShare share, Runnable done) {}

    /** What a persistent session was given elsewhere. */
    record SentQos0(String clientId, long session, Queued message) {}

    final List<Sent> sent = new ArrayList<>();
    final List<SentQos0> sentQos0 = new ArrayList<>();
    /** The clients that have connections elsewhere. */
    final Set<String> reachable = new HashSet<>();

    @Override
    public void deliver(
            String node,
            Message message,
            List<Recipient> members,
            boolean matching,
            Runnable taken,
            @Nullable Consumer<RoomQueue> publisher) {
        sent.add(new Sent(message, new NodeShare(node, members, matching), taken));
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
