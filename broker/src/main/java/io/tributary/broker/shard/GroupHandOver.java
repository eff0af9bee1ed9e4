package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.HandOver;
import io.tributary.common.event.ShardEvent.Moved;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Moves the messages of shared subscriptions that a leaving member has not begun to other members that are online. A QoS 2
 * message that was sent to it stays [MQTT-4.8.2-4], and everything stays while nobody else is online. Confined to the thread
 * of the driver.
 */
final class GroupHandOver {
    private static final int PAGE = 100;

    private final SessionQueues queues;
    private final Deliveries deliveries;
    private final MessageRouting routing;
    private final Consumer<HandOver> append;

    GroupHandOver(SessionQueues queues, Deliveries deliveries, MessageRouting routing, Consumer<HandOver> append) {
        this.queues = queues;
        this.deliveries = deliveries;
        this.routing = routing;
        this.append = append;
    }

    /** A session lost its connection; the owner's epoch names the records that follow. */
    void left(ClientState client, long ownerEpoch) {
        if (client.mayHaveGroupMessages && deliveries.messagesOf(client) > 0) {
            client.mayHaveGroupMessages = false;
            moveFrom(client, client.epoch, 1, ownerEpoch);
        }
    }

    private void moveFrom(ClientState client, long epoch, long from, long ownerEpoch) {
        queues.read(client, from, PAGE, page -> onPage(client, epoch, page, ownerEpoch));
    }

    private void onPage(ClientState client, long epoch, @Nullable Page page, long ownerEpoch) {
        if (page == null || client.isAttached() || client.epoch != epoch) {
            client.mayHaveGroupMessages = true;
            return; // it is back: it gets its messages itself
        }
        Set<Long> withheld = deliveries.withheldOf(client);
        List<Moved> moved = new ArrayList<>();
        for (ShardStore.Entry entry : page.entries()) {
            if (entry.entry() instanceof Queued queued
                    && queued.group() != null
                    && !withheld.contains(entry.sequence())) {
                moveUnlessBegun(client, entry.sequence(), queued, moved);
            }
        }
        if (!moved.isEmpty()) {
            append.accept(new HandOver(ownerEpoch, client.clientId, client.session, moved));
        }
        if (page.next() <= client.lastSequence) {
            moveFrom(client, epoch, page.next(), ownerEpoch);
        }
    }

    private void moveUnlessBegun(ClientState client, long sequence, Queued queued, List<Moved> moved) {
        client.mayHaveGroupMessages = true;
        if (queued.qos() == QoS.EXACTLY_ONCE && sequence <= client.resendUpTo) {
            return;
        }
        Recipient leaving = new Recipient(
                client.clientId,
                client.session,
                queued.qos(),
                queued.retain(),
                queued.subscriptionIds(),
                queued.group());
        Destinations destinations = routing.matchGroup(queued.message(), leaving);
        if (!destinations.isEmpty()) {
            long size = queued.message().sizeBytes();
            deliveries.move(client, sequence, size);
            moved.add(new Moved(sequence, size, queued.message(), destinations));
        }
    }
}
