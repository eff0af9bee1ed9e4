package io.tributary.broker.shard;

import io.tributary.broker.shard.Ledger.Published;
import io.tributary.common.event.Recipient;

/** P1: an acknowledged message reaches every session that it matched and that still exists, unless dropping it was counted. */
final class NothingAcknowledgedIsLost implements Ledger.Promise {

    @Override
    public void settled(SimWorld world) {
        int missing = 0;
        int expired = 0;
        int undelivered = 0;
        for (Published one : world.ledger.all()) {
            boolean isWill = one.message.topic().equals(SimWorld.WILLS);
            undelivered += isWill && one.total() == 0 ? 1 : 0;
            for (Recipient recipient : one.recipients) {
                undelivered += wasDelivered(one, recipient) ? 0 : 1;
                if (isMissing(world, one, recipient)) {
                    missing++;
                    expired += one.message.isExpiredAt(world.clock.nowMillis()) ? 1 : 0;
                }
            }
        }
        int counted = world.recorder.queueFull;
        if (missing - expired > counted) {
            throw new Violation(
                    (missing - expired) + " messages are lost and " + counted + " counted: " + first(world));
        }
        if (!world.hadFault() && counted > undelivered) {
            throw new Violation(counted + " messages are counted as dropped, and " + undelivered + " are missing");
        }
    }

    private static String first(SimWorld world) {
        for (Published one : world.ledger.all()) {
            for (Recipient recipient : one.recipients) {
                if (isMissing(world, one, recipient) && !one.message.isExpiredAt(world.clock.nowMillis())) {
                    return Ledger.idOf(one.message) + " " + one.message + " of " + one.message.publisher() + " for "
                            + recipient;
                }
            }
        }
        return "none";
    }

    private static boolean isMissing(SimWorld world, Published one, Recipient recipient) {
        boolean exists = world.client(recipient.clientId()).session() == recipient.session();
        return one.isAcknowledged && exists && !wasDelivered(one, recipient);
    }

    private static boolean wasDelivered(Published one, Recipient recipient) {
        return recipient.group() == null ? one.deliveries.containsKey(recipient.clientId()) : one.total() > 0;
    }
}
