package io.tributary.broker.shard;

import io.tributary.common.event.StoredSession;
import java.util.List;

/**
 * Of several hosts of a group all but one give way, soon; when all has settled, the one that is left is the session's
 * connection, and all nodes know of it.
 */
final class OneHost implements GroupLedger.Promise {
    /** Longer than anything goes unnoticed or stands still. */
    private static final int LONGEST_SECONDS = 20;

    private int seconds;

    @Override
    public void second(SimGroups world) {
        seconds = hosting(world).size() > 1 ? seconds + 1 : 0;
        if (seconds > LONGEST_SECONDS) {
            throw new Violation("there are the hosts " + hosting(world));
        }
    }

    @Override
    public void settled(SimGroups world) {
        List<SimHosts.Host> hosting = hosting(world);
        StoredSession session = world.storedSession();
        long asking = world.all().stream().filter(SimHosts::hasHost).count();
        if (hosting.size() != 1 || asking != 1 || session == null) {
            throw new Violation("there are the hosts " + hosting + " of " + session);
        }
        SimHosts.Host host = hosting.getFirst();
        if (!host.front().equals(session.node()) || host.number() != session.connection()) {
            throw new Violation(host + " is not the connection of " + session);
        }
        if (!world.all().stream().allMatch(SimHosts::isHosted)) {
            throw new Violation("not all nodes know of " + host);
        }
    }

    private static List<SimHosts.Host> hosting(SimGroups world) {
        return world.all().stream()
                .filter(SimHosts::hasSession)
                .map(SimHosts::host)
                .toList();
    }
}
