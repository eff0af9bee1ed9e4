package io.tributary.broker.shard;

import java.util.List;

/**
 * What was acknowledged to a publisher while the group lived is acknowledged by a member, or kept as a dead letter,
 * before the group ends.
 */
final class GroupLosesNothing implements GroupLedger.Promise {
    @Override
    public void settled(SimGroups world) {
        List<Integer> missing = world.ledger.missing();
        if (!missing.isEmpty()) {
            throw new Violation("the group has lost " + missing);
        }
    }
}
