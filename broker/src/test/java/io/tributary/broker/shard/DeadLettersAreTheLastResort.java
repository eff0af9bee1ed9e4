package io.tributary.broker.shard;

import io.tributary.broker.shard.GroupLedger.Hold;
import io.tributary.broker.shard.SimHosts.Host;
import java.util.HashSet;
import java.util.Set;

/**
 * A message becomes a dead letter only when members have left it as often as is configured, and no member gets it from
 * then on.
 */
final class DeadLettersAreTheLastResort implements GroupLedger.Promise {
    private final Set<Letter> kept = new HashSet<>();

    private record Letter(Host host, int id) {}

    @Override
    public void putAside(Host host, int id, int left, int mostDeliveries) {
        if (mostDeliveries == 0 || left < mostDeliveries) {
            throw new Violation(
                    "message " + id + " is a dead letter, left " + left + " of " + mostDeliveries + " times");
        }
    }

    @Override
    public void kept(Host host, int id) {
        kept.add(new Letter(host, id));
    }

    @Override
    public void handed(SimGroups world, Hold hold) {
        if (kept.contains(new Letter(hold.host, hold.id))) {
            throw new Violation("message " + hold.id + " is a dead letter and handed to " + hold.member.clientId());
        }
    }
}
