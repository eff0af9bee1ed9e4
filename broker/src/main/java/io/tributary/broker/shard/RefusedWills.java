package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.Effects.Before;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.mqtt.Will;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Refuses connections for whose wills there is no memory. The fold does not know how much a node has, so such a
 * connection has its session by now; it leaves as with a DISCONNECT. A session that it has begun ends; one that goes on
 * has its expiry and its will from before again, also when several are refused in a row. Confined to the thread of the
 * driver.
 */
final class RefusedWills {
    private final LogAppender appender;
    private final Tenure tenure;
    private final WillsAndExpiry wills;
    /** The latest refused connection of each client, as long as it has the session. */
    private final Map<String, Refused> latest = new HashMap<>();

    /** A connection that is refused. */
    private static final class Refused {
        final SessionState client;
        final long epoch;
        final String node;
        final long connection;
        /** What the session had before all that were refused in a row; null where one of them has begun it. */
        @Nullable
        Before before;

        boolean isLogged;

        Refused(SessionState client, String node, @Nullable Before before) {
            this.client = client;
            this.node = node;
            this.before = before;
            epoch = client.epoch();
            connection = client.connection();
        }
    }

    RefusedWills(LogAppender appender, Tenure tenure, WillsAndExpiry wills) {
        this.appender = appender;
        this.tenure = tenure;
        this.wills = wills;
    }

    /** Whether all nodes and records can say that a will is refused; until then each is taken, as in 0.1.0. */
    boolean canBe() {
        return appender.writes(RecordFormat.WILLS_REFUSED);
    }

    /** A connection has a session, by a record that was folded just now, and is not to have it. */
    void refuse(SessionState client, String node, @Nullable Before before) {
        Refused earlier = latest.get(client.clientId());
        Refused refused = new Refused(client, node, before == null || earlier == null ? before : earlier.before);
        latest.put(client.clientId(), refused);
        if (refused.before != null && refused.before.will() != null) {
            wills.whenHeard(client.clientId(), () -> {
                if (latest.get(client.clientId()) == refused) {
                    log(refused);
                }
            });
        } else {
            log(refused);
        }
    }

    /** Whether the client's latest connection is refused, and has the session still, or had it until now. */
    boolean isLatest(String clientId) {
        return latest.containsKey(clientId);
    }

    /** A connection is about to lose its session to another one. */
    void takenOver(String clientId, long epoch) {
        Refused refused = latest.get(clientId);
        if (refused != null && refused.epoch == epoch) {
            log(refused);
        }
    }

    /** A connection that had lost its session said how it ended: a will that it took back is not to come back. */
    void heard(Detach detach) {
        Refused refused = latest.get(detach.clientId());
        Before before = refused == null ? null : refused.before;
        if (refused != null && before != null && before.epoch() == detach.epoch() && !detach.publishWill()) {
            refused.before = new Before(before.epoch(), before.sessionExpirySeconds(), null);
        }
    }

    /** A client has no refused connection any more. */
    void over(String clientId) {
        latest.remove(clientId);
    }

    /**
     * The node is told once the end is in the log, for it forgets the connection: an owner after this one would know of
     * a session whose end nobody tells.
     */
    private void log(Refused refused) {
        if (refused.isLogged) {
            return;
        }
        refused.isLogged = true;
        Before before = refused.before;
        long expirySeconds = before == null ? 0 : before.sessionExpirySeconds();
        Will willBefore = before == null ? null : before.will();
        String clientId = refused.client.clientId();
        Detach detach = new Detach(clientId, refused.epoch, false, expirySeconds, SentUpTo.NOTHING, willBefore);
        tenure.append(
                detach,
                () -> tenure.targetOf(refused.node).refused(refused.connection, AttachRefusal.NO_ROOM_FOR_WILL));
    }
}
