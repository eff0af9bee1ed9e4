package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.common.event.SessionHead;

/** P4: a client has one session, which lasts as long as it was asked to, and one connection. */
final class OneSession implements Ledger.Promise {
    /** How long an owner takes to notice. */
    private static final long LATEST_MILLIS = 2000;

    @Override
    public void connected(SimClient client, Attached answer, boolean mayHaveEnded) {
        if (!answer.sessionPresent() && client.session() >= 0 && !mayHaveEnded) {
            throw new Violation("the session of " + client.name + " is gone: " + answer);
        }
        if (answer.sessionPresent() && answer.session() != client.session() && !mayHaveEnded) {
            throw new Violation(client.name + " has another session: " + answer);
        }
    }

    @Override
    public void attached(SimConnection connection, Attached answer) {
        if (answer.sessionPresent() && connection.connect().cleanStart()) {
            throw new Violation("a clean start found a session");
        }
    }

    @Override
    public void settled(SimWorld world) {
        for (SimClient client : world.clients()) {
            long open = world.fronts().stream()
                    .flatMap(front -> front.connections().stream())
                    .filter(connection -> connection.client() == client && connection.isOpen())
                    .count();
            if (open != (client.isAway ? 0 : 1)) {
                throw new Violation(client.name + " has " + open + " connections");
            }
        }
        for (int shard = 0; shard < world.log.shards(); shard++) {
            for (SessionHead head : FoldIsDeterministic.fold(world.log.records(shard), Long.MAX_VALUE)
                    .heads
                    .values()) {
                check(world, head);
            }
        }
    }

    private static void check(SimWorld world, SessionHead head) {
        SimClient client = world.client(head.clientId());
        if (client.isAway && head.node() != null) {
            throw new Violation(client.name + " is away and has the session " + head);
        }
        boolean expires = head.sessionExpirySeconds() != ShardState.NEVER_EXPIRES_SECONDS;
        long expiresAt = head.detachedAtMillis() + head.sessionExpirySeconds() * 1000 + LATEST_MILLIS;
        if (client.isAway && expires && expiresAt < world.clock.nowMillis()) {
            throw new Violation("the session of " + client.name + " should have expired: " + head);
        }
    }
}
