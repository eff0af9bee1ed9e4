package io.tributary.broker.shard;

import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.persistence.shard.LogRecord;
import java.util.HashSet;
import java.util.Set;

/** The session of a group ends no earlier than a minute after its last member has left; and it does end. */
final class GroupEndsWithItsMembers implements GroupLedger.Promise {
    /** The connections whose hosts ended the session too early; whether they still had it, only the log knows. */
    private final Set<Long> early = new HashSet<>();

    @Override
    public void ends(SimGroups world, long epoch) {
        if (world.ledger.lives()) {
            early.add(epoch);
        }
    }

    @Override
    public void ended(SimGroups world) {
        long epoch = -1;
        for (LogRecord record : world.records()) {
            switch (EventCodec.decode(record.value())) {
                case Attach attach when attach.clientId().equals(SimGroups.CLIENT) -> epoch = record.offset();
                case Detach detach
                when detach.clientId().equals(SimGroups.CLIENT) -> {
                    boolean ends = detach.epoch() == epoch && detach.sessionExpirySeconds() == 0;
                    if (ends && early.contains(epoch)) {
                        throw new Violation("the group ended though members were there less than a minute ago");
                    }
                }
                default -> {}
            }
        }
        if (world.storedSession() != null) {
            throw new Violation("the group has not ended: " + world.storedSession());
        }
    }
}
