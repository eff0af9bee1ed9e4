package io.tributary.broker.shard;

import io.tributary.broker.shard.Ledger.Published;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.QoS;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * P1: an acknowledged message reaches every session that it matched and that still exists, unless dropping it was
 * counted.
 */
final class NothingAcknowledgedIsLost implements Ledger.Promise {
    @Override
    public void settled(SimWorld world) {
        List<Recipient> lost = new ArrayList<>();
        int undelivered = 0;
        for (Published one : world.ledger.all()) {
            boolean isWill = one.message.topic().equals(SimWorld.WILLS);
            undelivered += isWill && one.total() == 0 ? 1 : 0;
            undelivered += (int) one.recipients.stream()
                    .filter(recipient -> !wasDelivered(one, recipient))
                    .count();
            if (!one.message.isExpiredAt(world.clock.nowMillis())) {
                lost.addAll(missing(world, one));
            }
        }
        if (world.recorder.recordsLost > 0) {
            throw new Violation(world.recorder.recordsLost + " records are lost");
        }
        int counted = world.recorder.queueFull;
        if (lost.size() > counted) {
            throw new Violation(lost.size() + " messages are lost and " + counted + " counted: " + lost);
        }
        if (!world.hadFault() && counted > undelivered) {
            throw new Violation(counted + " messages are counted as dropped, and " + undelivered + " are missing");
        }
    }

    /** Who did not get an acknowledged message; of a shared subscription one member stands for all. */
    private List<Recipient> missing(SimWorld world, Published one) {
        Set<Object> names = new HashSet<>();
        return one.recipients.stream()
                .filter(recipient -> isMissing(world, one, recipient))
                .filter(recipient -> names.add(recipient.group() == null ? recipient.clientId() : recipient.group()))
                .toList();
    }

    private boolean isMissing(SimWorld world, Published one, Recipient recipient) {
        if (!one.isAcknowledged || one.mayBeLost || wasDelivered(one, recipient)) {
            return false;
        }
        if (one.lostFor.contains(recipient.clientId())) {
            return false;
        }
        if (recipient.group() != null && world.hasGuest()) {
            return !mayHaveEndedWithAMember(world, one, recipient);
        }
        SimClient client = world.client(recipient.clientId());
        return !client.isAway && client.session() == recipient.session();
    }

    /**
     * Whether a message of a shared subscription may have gone with a member's session, for it is of QoS 2 and was
     * handed to its connection [MQTT-4.8.2-5]; a new owner does not know what was handed to whom.
     */
    private boolean mayHaveEndedWithAMember(SimWorld world, Published one, Recipient recipient) {
        return recipient.qos() == QoS.EXACTLY_ONCE
                && (SimFault.leaveOwnersUnsure(world.faults) || world.ledger.of(one.message).wasHandedToAMember);
    }

    private static boolean wasDelivered(Published one, Recipient recipient) {
        return recipient.group() == null ? one.deliveries.containsKey(recipient.clientId()) : one.total() > 0;
    }
}
