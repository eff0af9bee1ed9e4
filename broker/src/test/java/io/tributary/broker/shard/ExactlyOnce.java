package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.Ledger.Published;
import io.tributary.broker.shard.Ledger.SentSet;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.QoS;
import java.util.HashMap;
import java.util.Map;

/** P3: QoS 2 is exactly once, and QoS 1 sends again only with DUP, after a fault. */
final class ExactlyOnce implements Ledger.Promise {
    private final SentSet sent = new SentSet();
    private final SentSet released = new SentSet();
    /** The epoch of the latest connection that had each session. */
    private final Map<String, Long> newest = new HashMap<>();

    @Override
    public void attached(SimConnection connection, Attached answer) {
        newest.merge(sessionOf(connection), answer.epoch(), Math::max);
    }

    @Override
    public void sent(SimWorld world, SimConnection connection, Delivery delivery, Queued queued) {
        if (connection.epoch() < newest.getOrDefault(sessionOf(connection), -1L)) {
            return; // to nobody: the client has left this connection for another one
        }
        boolean isFirst = sent.add(connection, delivery.sequence());
        if (!isFirst && !delivery.dup()) {
            throw new Violation("sent again without DUP: " + delivery);
        }
        // What another node was handed before, and has not sent yet.
        boolean mayBeLate = world.faults.contains(SimFault.CLUSTER);
        if (isFirst && delivery.dup() && !world.hadFault() && !mayBeLate) {
            throw new Violation("sent for the first time with DUP: " + delivery);
        }
        if (released.contains(connection, delivery.sequence())) {
            throw new Violation("sent after PUBREL: " + delivery);
        }
    }

    private static String sessionOf(SimConnection connection) {
        return connection.client().name + "/" + connection.session();
    }

    @Override
    public void released(SimConnection connection, long sequence) {
        released.add(connection, sequence);
    }

    @Override
    public void delivered(SimWorld world, SimClient client, Published one, boolean exactlyOnce) {
        boolean isShared = one.recipients.stream().anyMatch(recipient -> recipient.group() != null);
        int times = isShared ? one.total() : one.times(client.name);
        // What was read of a topic is known from the topic when that is not logged yet, and one that is deleted does
        // not say.
        boolean mayRepeat = one.message.qos() == QoS.AT_LEAST_ONCE || !exactlyOnce || one.lostFor.contains(client.name);
        if (times > 1 && !(mayRepeat && world.hadFault())) {
            throw new Violation("delivered " + times + " times: " + Ledger.idOf(one.message) + " " + one.message);
        }
    }
}
