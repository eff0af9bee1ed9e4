package io.tributary.broker;

import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.Ban;
import io.tributary.broker.security.store.DeviceToken;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Ends the connections of clients that may not be connected any more: of users who are gone or disabled, those that
 * came with a device token that is gone, and those whose ban says so. What happened in a second is done at its end, in
 * one look at all connections, and for some seconds once more: an authenticator may have said yes before the change,
 * and the client be connected after it.
 */
final class Expulsions implements SecurityStore.Listener, AutoCloseable {
    /** For how many seconds connections are looked for: longer than a client waits for its session. */
    private static final int SECONDS = 30;

    private final SecurityStore store;
    private final BiConsumer<Predicate<ClientInfo>, ReasonCode> connections;

    /**
     * Users without the right to be connected, and how often connections of theirs are still looked for: once more
     * where nothing tells a client that came before the change from one that came afterwards, for the former may be let
     * in just when the others are looked at.
     */
    private final Map<String, Integer> users = new ConcurrentHashMap<>();

    /** Device tokens that are gone, and how often connections that came with them are still looked for. */
    private final Map<String, Integer> tokens = new ConcurrentHashMap<>();

    private final AtomicInteger banSeconds = new AtomicInteger();
    private volatile boolean isOn;

    /** @param connections ends those of some clients, with a reason */
    Expulsions(SecurityStore store, BiConsumer<Predicate<ClientInfo>, ReasonCode> connections) {
        this.store = store;
        this.connections = connections;
    }

    /** There may be connections from now on. */
    void begin() {
        isOn = true;
    }

    @Override
    public void changed(SecurityTable table, @Nullable SecurityObject before, @Nullable SecurityObject now) {
        if (!isOn) {
            return;
        }
        if (before instanceof StoredUser user) {
            if (!(now instanceof StoredUser same) || hasAnotherLogin(user, same)) {
                users.put(user.id(), SECONDS + 1);
            } else if (hasLess(user, same)) {
                users.merge(user.id(), SECONDS, Math::max);
            }
        } else if (before instanceof DeviceToken token && !token.equals(now)) {
            tokens.put(token.id(), SECONDS);
        } else if (now instanceof Ban ban && ban.disconnect()) {
            banSeconds.set(SECONDS);
        }
    }

    /** A client may not be let in, or not for so long, by what it has shown; it does not show afterwards. */
    private static boolean hasAnotherLogin(StoredUser before, StoredUser now) {
        boolean endsEarlier = now.expires() != null
                && (before.expires() == null || now.expires().isBefore(before.expires()));
        return before.serial() != now.serial() || !now.hasPasswordOf(before) || endsEarlier;
    }

    /** What a client got at its CONNECT it may not have any more. */
    private static boolean hasLess(StoredUser before, StoredUser now) {
        return now.disabled()
                || !Objects.equals(before.tenant(), now.tenant())
                || before.kind() != now.kind()
                || !before.attributes().equals(now.attributes())
                || !now.groups().containsAll(before.groups());
    }

    /** Once a second. */
    void tick() {
        Map<String, Integer> ofUsers = Map.copyOf(users);
        Map<String, Integer> gone = Map.copyOf(tokens);
        if (!ofUsers.isEmpty() || !gone.isEmpty()) {
            connections.accept(
                    client -> mayNotStay(client, ofUsers.get(userOf(client)))
                            || (client.credential() != null && gone.containsKey(client.credential())),
                    ReasonCode.NOT_AUTHORIZED);
            ofUsers.forEach((id, seconds) -> countDown(users, id, seconds));
            gone.forEach((id, seconds) -> countDown(tokens, id, seconds));
        }
        int bansLeft = banSeconds.getAndUpdate(left -> Math.max(0, left - 1));
        if (bansLeft > 0) {
            connections.accept(store::mustDisconnect, ReasonCode.BANNED);
        }
    }

    /** Unless the same has changed once more. */
    private static void countDown(Map<String, Integer> table, String id, int seconds) {
        if (seconds == 1) {
            table.remove(id, seconds);
        } else {
            table.replace(id, seconds, seconds - 1);
        }
    }

    private static String userOf(ClientInfo client) {
        Principal principal = client.principal();
        return principal == null ? "" : StoredUser.idOf(principal.realm(), principal.name());
    }

    /** Of clients that come afterwards, one may stay that has no more than its user has by now. */
    private boolean mayNotStay(ClientInfo client, @Nullable Integer secondsLeft) {
        return secondsLeft != null && (secondsLeft >= SECONDS || hasMoreThanItsUser(client));
    }

    private boolean hasMoreThanItsUser(ClientInfo client) {
        Principal principal = client.principal();
        StoredUser user = principal == null ? null : store.user(principal.realm(), principal.name());
        return principal == null
                || user == null
                || user.disabled()
                || !user.groups().containsAll(principal.groups())
                || !Objects.equals(user.tenant(), principal.tenant())
                || (user.kind() != null && user.kind() != client.kind())
                || !user.attributes().equals(client.attributes());
    }

    @Override
    public void close() {
        isOn = false;
    }
}
