package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.LogRecord;
import java.util.HashMap;
import java.util.Map;

/** P4: a client has one session, which lasts as long as it was asked to, and one connection. */
final class OneSession implements Ledger.Promise {
    /** How long an owner takes to notice. */
    private static final long LATEST_MILLIS = 2000;

    private static final long UNKNOWN = -1;

    /** The epoch of the latest connection on which each client was accepted. */
    private final Map<String, Long> accepted = new HashMap<>();

    @Override
    public void connected(SimWorld world, SimClient client, Attached answer, boolean mayHaveEnded) {
        Long before = accepted.put(client.name, answer.epoch());
        if (before == null || mayHaveEnded) {
            return;
        }
        long expected = expected(world, client, before, answer.epoch());
        if (expected != UNKNOWN && (expected == answer.epoch()) == answer.sessionPresent()) {
            throw new Violation("the session " + expected + " of " + client.name + " is gone: " + answer);
        }
        if (expected != UNKNOWN && expected != answer.session()) {
            throw new Violation(client.name + " has another session than " + expected + ": " + answer);
        }
    }

    /**
     * The session that a client should find, which left its session alone since it was accepted. Two processes may log
     * its connections in another order than it opened them in; so one that it gave up before may have come between, and
     * taken its session over in the way that it was asked to.
     *
     * @return its session, or {@link #UNKNOWN} when such a connection ended so long ago that the session may have
     *     expired
     */
    private static long expected(SimWorld world, SimClient client, long before, long now) {
        long session = client.session();
        long epoch = before;
        boolean isTransient = false;
        long expiresAt = Long.MAX_VALUE;
        for (LogRecord record : world.log.records(world.shardOf(client))) {
            if (record.offset() <= before || record.offset() > now) {
                continue;
            }
            ShardEvent event = EventCodec.decode(record.value());
            if (event instanceof Attach attach && attach.clientId().equals(client.name)) {
                boolean isOver = expiresAt <= record.timeMillis();
                if (SimStranger.is(attach)) {
                    if (isOver) {
                        return UNKNOWN;
                    }
                    continue;
                }
                if (attach.cleanStart() || isTransient) {
                    session = record.offset();
                } else if (isOver) {
                    return UNKNOWN;
                }
                epoch = record.offset();
                isTransient = attach.sessionExpirySeconds() == 0;
                expiresAt = Long.MAX_VALUE;
            } else if (event instanceof Detach detach && isOf(client, detach, epoch)) {
                expiresAt = record.timeMillis() + detach.sessionExpirySeconds() * 1000;
            }
        }
        return session;
    }

    private static boolean isOf(SimClient client, Detach detach, long epoch) {
        return detach.clientId().equals(client.name) && detach.epoch() == epoch;
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
            for (StoredSession stored : FoldIsDeterministic.fold(world.log.records(shard), Long.MAX_VALUE)
                    .sessions
                    .values()) {
                check(world, stored);
            }
        }
    }

    private static void check(SimWorld world, StoredSession stored) {
        SimClient client = world.client(stored.clientId());
        if (client.isAway && stored.node() != null) {
            throw new Violation(client.name + " is away and has the session " + stored);
        }
        boolean expires = stored.sessionExpirySeconds() != SessionState.NEVER_EXPIRES_SECONDS;
        long expiresAt = stored.detachedAtMillis() + stored.sessionExpirySeconds() * 1000 + LATEST_MILLIS;
        if (client.isAway && expires && expiresAt < world.clock.nowMillis()) {
            throw new Violation("the session of " + client.name + " should have expired: " + stored);
        }
    }
}
