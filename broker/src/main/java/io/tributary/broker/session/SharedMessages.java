package io.tributary.broker.session;

import io.tributary.broker.delivery.MemberReply;
import io.tributary.common.event.QueueEntry.Queued;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The messages that an application was handed as a member of shared subscriptions: until they are sent, and from then on until
 * it acknowledges them. Their number is bounded by those who hand them out, and here. Confined to the event loop.
 */
final class SharedMessages {
    private static final int MOST_WAITING = 1_024;

    private final ArrayDeque<Shared> waiting = new ArrayDeque<>(0);
    private final Map<Integer, MemberReply> sent = new LinkedHashMap<>(0);

    /**
     * A message that waits.
     *
     * @param dup whether any member may have been sent it before
     */
    record Shared(Queued message, boolean dup, MemberReply reply) {}

    /** Takes a message; gives it back at once when too many wait, as after several changes of who hands them out. */
    void add(Shared message) {
        if (waiting.size() < MOST_WAITING) {
            waiting.add(message);
        } else {
            message.reply.returned(false);
        }
    }

    /** The next one to send, or null. */
    @Nullable
    Shared poll() {
        return waiting.poll();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** It was sent under the packet identifier, which nobody else uses. */
    void sent(int packetId, MemberReply reply) {
        sent.put(packetId, reply);
    }

    /** Whether one was sent under the packet identifier that is not acknowledged. */
    boolean hasSent(int packetId) {
        return sent.containsKey(packetId);
    }

    /** The client has acknowledged the one with that packet identifier. */
    void acknowledged(int packetId) {
        MemberReply reply = sent.remove(packetId);
        if (reply != null) {
            reply.done();
        }
    }

    /** Gives everything back. */
    void close() {
        sent.values().forEach(reply -> reply.returned(true));
        sent.clear();
        waiting.forEach(shared -> shared.reply.returned(false));
        waiting.clear();
    }
}
