package io.tributary.cluster.node;

import io.tributary.broker.delivery.ConnectionRegistry;
import io.tributary.broker.delivery.MemberReply;
import io.tributary.cluster.link.Link;
import io.tributary.cluster.node.NodeMessage.Shared;
import io.tributary.cluster.node.NodeMessage.SharedAnswer;
import io.tributary.cluster.node.NodeMessage.SharedOutcome;
import io.tributary.cluster.node.PeerChannels.PeerChannel;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries messages of shared subscriptions of applications to members on other nodes, and carries the outcomes back.
 * The sender is told in any case: when the link breaks before there is an answer, the message may have been sent to the
 * client. Any thread; never blocks.
 *
 * <p>What is on its way is bounded by the windows of the sessions that shared subscriptions have.
 */
final class SharedTraffic {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ClusterTimer timer;
    private final RecordFormat format;
    private final AtomicLong lastId = new AtomicLong();
    private final PeerChannels<MemberReply> channels = new PeerChannels<>();

    SharedTraffic(ClusterTimer timer, RecordFormat format) {
        this.format = format;
        this.timer = timer;
    }

    /** There is a link to a node. */
    void onUp(Link link) {
        channels.up(link);
    }

    /** A link is gone. */
    void onDown(Link link) {
        PeerChannel<MemberReply> channel = channels.down(link);
        if (channel != null) {
            channel.waiting.keySet().forEach(id -> returned(channel, id, true));
        }
    }

    /** {@link io.tributary.broker.delivery.NodeInbox#deliverShared}. */
    void deliver(String node, String clientId, long session, Queued message, boolean dup, MemberReply reply) {
        PeerChannel<MemberReply> channel = channels.to(node);
        if (channel == null) {
            reply.returned(false);
            return;
        }
        long id = lastId.incrementAndGet();
        channel.waiting.put(id, reply);
        if (!channel.link.send(FrameBuilder.frameOf(new Shared(id, clientId, session, dup, message), format))) {
            returned(channel, id, false);
        } else if (channel != channels.of(channel.link)) { // onDown may have looked before the message was put there
            returned(channel, id, true);
        }
    }

    /** Another node hands something over to a member; on the link's event loop. */
    void take(Link link, Shared shared, ConnectionRegistry connections) {
        MemberReply reply = new Answer(link, shared.id());
        connections.deliverShared(shared.clientId(), shared.session(), shared.message(), shared.dup(), reply);
    }

    /** Another node tells the outcome of a message. */
    void take(Link link, SharedAnswer answer) {
        PeerChannel<MemberReply> channel = channels.of(link);
        MemberReply reply = channel == null ? null : channel.waiting.remove(answer.id());
        if (reply != null) {
            switch (answer.outcome()) {
                case DONE -> reply.done();
                case RETURNED -> reply.returned(false);
                case RETURNED_MAYBE_SENT -> reply.returned(true);
            }
        }
    }

    private static void returned(PeerChannel<MemberReply> channel, long id, boolean maybeSent) {
        MemberReply reply = channel.waiting.remove(id);
        if (reply != null) {
            reply.returned(maybeSent);
        }
    }

    /** Tells the node that the message came from, for as long as the link to it is up. */
    private final class Answer implements MemberReply {
        private final Link link;
        private final long id;

        private Answer(Link link, long id) {
            this.link = link;
            this.id = id;
        }

        @Override
        public void done() {
            send(SharedOutcome.DONE);
        }

        @Override
        public void returned(boolean maybeSent) {
            send(maybeSent ? SharedOutcome.RETURNED_MAYBE_SENT : SharedOutcome.RETURNED);
        }

        private void send(SharedOutcome outcome) {
            if (!link.send(FrameBuilder.frameOf(new SharedAnswer(id, outcome), format)) && channels.of(link) != null) {
                timer.after(RETRY_NANOS, () -> send(outcome));
            }
        }
    }
}
