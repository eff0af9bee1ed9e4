package io.tributary.broker.shard;

import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.Ledger.Published;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import java.util.HashMap;
import java.util.Map;

/**
 * P2: first copies from one session on one topic at one QoS and of one priority arrive in order; a connection gets
 * ascending sequences of each priority.
 */
final class OrderIsKept implements Ledger.Promise {
    private final Map<Flow, Integer> latest = new HashMap<>();
    private final Map<Lane, Long> sequences = new HashMap<>();

    private record Lane(SimConnection connection, int priority) {}

    private record Flow(
            String publisher,
            long publisherSession,
            String subscriber,
            long session,
            String topic,
            QoS qos,
            int priority) {}

    @Override
    public void sent(SimWorld world, SimConnection connection, Delivery delivery, Queued queued) {
        Long before = sequences.put(new Lane(connection, queued.message().priority()), delivery.sequence());
        if (before != null && delivery.sequence() <= before) {
            throw new Violation("sequence " + delivery.sequence() + " after " + before);
        }
    }

    @Override
    public void delivered(SimWorld world, SimClient client, Published published, boolean exactlyOnce) {
        boolean isFirst = published.times(client.name) == 1;
        boolean mayReturn = world.hadFault() // what was dropped, when the owner died before it was logged
                && (world.faults.contains(SimFault.LIMITS) || published.message.expiresAtMillis() != Message.NEVER);
        // What a topic had that somebody deleted may come back, too, when the log is read again from further back.
        boolean isInOrder = published.attempts == 1
                && !mayReturn
                && !published.lostFor.contains(client.name)
                && published.recipients.stream().noneMatch(one -> one.group() != null)
                && !published.message.topic().equals(SimWorld.WILLS);
        if (isFirst && isInOrder) {
            Flow flow = new Flow(
                    published.message.publisher(),
                    published.publisherSession,
                    client.name,
                    client.session(),
                    published.message.topic(),
                    published.message.qos(),
                    published.message.priority());
            int id = Ledger.idOf(published.message);
            int before = latest.getOrDefault(flow, 0);
            if (id < before) {
                throw new Violation("message " + id + " after " + before + " in " + flow);
            }
            latest.put(flow, id);
        }
    }
}
