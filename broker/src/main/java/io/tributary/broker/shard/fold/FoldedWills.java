package io.tributary.broker.shard.fold;

import io.tributary.common.event.Principal;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.WillKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wills of one shard's sessions. A will goes with the {@code Attach} that brought it:
 *
 * <pre>
 * none     --Attach with a will--------------------------------------------> pending, in its SessionState
 * pending  --connection lost, or session over, and no delay is left--------> due
 * pending  --DISCONNECT without will, or resumption within the delay-------> none
 * pending  --resumption, though the delay was over before------------------> due
 * pending  --WillDue with its destinations, when its delay is over---------> none, forwarded
 * none     --Detach of a refused connection, with the will before its own--> pending, its delay begins anew
 * none     --the same, late, and the session is over-----------------------> due
 * due      --WillDue with its destinations---------------------------------> none, forwarded
 * due      --late DISCONNECT without will----------------------------------> none
 * </pre>
 */
final class FoldedWills {
    private final FoldOutput output;
    private final Map<WillKey, Will> due = new LinkedHashMap<>();
    /** Whose those of {@link #due} are; unknown of one that was loaded and whose session is over. */
    private final Map<WillKey, Principal> principals = new HashMap<>();

    private long bytes;

    FoldedWills(FoldOutput output) {
        this.output = output;
    }

    /** A store has a will, and may say so twice; the client's session is loaded, unless there is none. */
    void load(ClientWill will, @Nullable SessionState client) {
        if (will.due()) {
            WillKey key = new WillKey(will.clientId(), will.epoch());
            if (due.put(key, will.will()) == null) {
                bytes += sizeOf(key.clientId(), will.will());
            }
            if (client != null && client.epoch() == will.epoch() && client.principal() != null) {
                principals.put(key, client.principal());
            }
        } else if (client != null && client.epoch() == will.epoch()) {
            if (client.will() == null) {
                bytes += sizeOf(client.clientId(), will.will());
            }
            client.load(will.will());
        }
    }

    private static long sizeOf(String clientId, Will will) {
        return ShardChanges.sizeOfWill(clientId, will);
    }

    /** About how much memory all wills take, due or not, in bytes. */
    long bytes() {
        return bytes;
    }

    /** Wills that are to be published and for which no {@link WillDue} was folded yet. */
    Map<WillKey, Will> due() {
        return Collections.unmodifiableMap(due);
    }

    /** Whose a will is that is due; null where that is not known. */
    @Nullable
    Principal principalOfDue(WillKey will) {
        return principals.get(will);
    }

    /** The names of all wills, due or not. */
    List<WillKey> all(Collection<SessionState> clients) {
        List<WillKey> keys = new ArrayList<>(due.keySet());
        for (SessionState client : clients) {
            if (client.will() != null) {
                keys.add(new WillKey(client.clientId(), client.epoch()));
            }
        }
        return keys;
    }

    /** A new connection has the session, perhaps with a will. */
    void attached(SessionState client) {
        Will will = client.will();
        if (will != null) {
            bytes += sizeOf(client.clientId(), will);
            output.changes().putWill(new ClientWill(client.clientId(), client.epoch(), will, false));
        }
    }

    /**
     * The effect of a new connection on the will of the previous one [MQTT-3.1.2-8, MQTT-3.1.3-9]; gives that will if
     * it is not to be published.
     */
    @Nullable
    Will replaced(SessionState existing, boolean resumed, long timeMillis) {
        Will will = existing.will();
        if (will == null) {
            return null;
        }
        boolean isInTime = existing.isAttached() ? will.delaySeconds() > 0 : timeMillis < existing.willDueAtMillis();
        if (resumed && isInTime) {
            drop(existing);
            return will;
        }
        makeDue(existing, will);
        return null;
    }

    /** A connection is gone. */
    void detached(SessionState client, boolean publish) {
        Will will = client.will();
        if (will == null) {
            return;
        }
        if (!publish) { // [MQTT-3.14.4-3]
            drop(client);
        } else if (will.delaySeconds() == 0 || !client.isPersistent()) {
            makeDue(client, will);
        } else {
            client.delayWill(will.delaySeconds());
        }
    }

    /** A connection was refused; the session has the will again that it had before, whose delay begins anew. */
    void restored(SessionState client, Will will) {
        client.load(will);
        attached(client);
        detached(client, true);
    }

    /** A session is over; a will that waits for its delay is due now [MQTT-3.1.2-8]. */
    void ended(SessionState client) {
        Will will = client.will();
        if (will != null) {
            makeDue(client, will);
        }
    }

    /**
     * A connection that lost its session had said before how it ended. If its client wanted no will, no will is
     * published [MQTT-3.14.4-3]. If it was refused, and the session that it resumed is over, the will from before is
     * due.
     *
     * @param offset of the record; it names that will
     * @param client who has the session now, if anybody
     */
    void endedLate(long offset, Detach detach, @Nullable SessionState client) {
        WillKey will = new WillKey(detach.clientId(), detach.epoch());
        if (!detach.publishWill() && removeDue(will)) {
            output.changes().removeWill(detach.clientId(), detach.epoch());
            output.effects().willDropped(detach.clientId(), detach.epoch());
        }
        boolean isOver = client == null || client.session() > detach.epoch();
        if (detach.willBefore() != null && isOver) {
            makeDue(
                    new WillKey(detach.clientId(), offset),
                    detach.willBefore(),
                    client == null ? null : client.principal());
        }
    }

    /** Takes the will of a session away, which is not published. */
    void drop(SessionState client) {
        output.changes().removeWill(client.clientId(), client.epoch());
        forget(client);
    }

    private void forget(SessionState client) {
        Will will = client.will();
        if (will != null) {
            bytes -= sizeOf(client.clientId(), will);
        }
        client.forgetWill();
    }

    private boolean removeDue(WillKey key) {
        principals.remove(key);
        Will will = due.remove(key);
        if (will != null) {
            bytes -= sizeOf(key.clientId(), will);
        }
        return will != null;
    }

    private void makeDue(SessionState client, Will will) {
        forget(client);
        makeDue(new WillKey(client.clientId(), client.epoch()), will, client.principal());
    }

    private void makeDue(WillKey key, Will will, @Nullable Principal principal) {
        due.put(key, will);
        bytes += sizeOf(key.clientId(), will);
        if (principal != null) {
            principals.put(key, principal);
        }
        output.changes().putWill(new ClientWill(key.clientId(), key.epoch(), will, true));
        output.effects().willDue(key.clientId(), key.epoch(), will);
    }

    /** A will comes with its destinations; the client's session is given, unless there is none. */
    void published(long timeMillis, WillDue published, @Nullable SessionState client) {
        WillKey key = new WillKey(published.clientId(), published.epoch());
        boolean wasDue = removeDue(key);
        boolean delayIsOver =
                client != null && client.epoch() == published.epoch() && !client.isAttached() && client.will() != null;
        if (client != null && delayIsOver && timeMillis < client.willDueAtMillis()) {
            output.effects().detached(client);
            return;
        }
        if (client != null && delayIsOver) {
            forget(client);
            output.changes().touch(client);
        }
        if (wasDue || delayIsOver) {
            output.changes().removeWill(published.clientId(), published.epoch());
            output.effects().forwardWill(published, wasDue);
        }
    }
}
