package io.tributary.broker.shard;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.shard.fold.SessionState;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.Will;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An MQTT client that keeps its session state across connections, as the specification says, and an application behind
 * it.
 */
final class SimClient {
    final String name;
    /** Never starts clean and never lets its session expire. */
    final boolean isLoyal;

    final long expirySeconds;
    final ClientKind kind;
    /** Does not come back at the end. */
    boolean isAway;

    private final SimWorld world;
    private List<SimRouting.Subscription> wishes;
    private final LinkedHashMap<Integer, Outbound> outbound = new LinkedHashMap<>();
    private final Set<Integer> inboundIds = new HashSet<>();
    private final ArrayDeque<Runnable> owed = new ArrayDeque<>();
    private @Nullable SimConnection connection;
    private boolean isConnected;
    private boolean isLazy;
    private int heldPacketId;
    private boolean isCleanPending;
    private long session = -1;
    private int lastPacketId;
    /** Whether the session may be over, by what this client did or failed to do. */
    private boolean mayHaveEnded = true;

    private long offlineSinceMillis;
    private long lastExpirySeconds;

    private static final class Outbound {
        final Message message;
        boolean isReceived;

        Outbound(Message message) {
            this.message = message;
        }
    }

    SimClient(
            SimWorld world,
            String name,
            boolean isLoyal,
            long expirySeconds,
            ClientKind kind,
            List<SimRouting.Subscription> wishes) {
        this.world = world;
        this.name = name;
        this.isLoyal = isLoyal;
        this.expirySeconds = expirySeconds;
        this.kind = kind;
        this.wishes = wishes;
        offlineSinceMillis = world.clock.nowMillis();
    }

    long session() {
        return session;
    }

    boolean isConnecting() {
        return connection != null;
    }

    boolean isConnected() {
        return isConnected;
    }

    /** Whether everything that it sent is acknowledged and it owes nothing. */
    boolean isIdle() {
        return outbound.isEmpty() && owed.isEmpty();
    }

    /** Connects, if need be beside a connection that it does not use any more. */
    void connect(SimConnection.Connect connect) {
        mayHaveEnded |= connect.cleanStart() || connect.expirySeconds() == 0;
        noteOffline();
        if (connect.cleanStart()) {
            isCleanPending = true; // having forgotten everything, it must not find a session
            outbound.clear();
            inboundIds.clear();
        }
        owed.clear();
        isConnected = false;
        SimConnection before = connection;
        connection = world.anyFront().connect(this, connect);
        if (before != null) {
            before.link().leftByClient(world.clock.chance(0.5));
            world.clock.after(SimWorld.LATEST_NOTICE_MILLIS, before::lost); // should nobody take it over
        }
    }

    SimConnection.Connect wish(boolean cleanStart, @Nullable Will will) {
        return new SimConnection.Connect(cleanStart || isCleanPending, expirySeconds, world.clock.between(1, 5), will);
    }

    void publish(Message message) {
        if (!isConnected) {
            return;
        }
        do {
            lastPacketId = lastPacketId % 20 + 1;
            if (outbound.size() == 20) {
                return;
            }
        } while (outbound.containsKey(lastPacketId));
        outbound.put(lastPacketId, new Outbound(message));
        send(lastPacketId, message);
    }

    /** Publishes under a packet identifier of the test's choice, which must be free. */
    void publishAs(int packetId, Message message) {
        outbound.put(packetId, new Outbound(message));
        send(packetId, message);
    }

    /** Leaves one packet identifier unacknowledged until it is not lazy. */
    void hold(int packetId) {
        heldPacketId = packetId;
    }

    /** Whether it owes an acknowledgement. */
    boolean owes() {
        return !owed.isEmpty();
    }

    /** Leaves its acknowledgements undone for a while, or does them. */
    void lazy(boolean newLazy) {
        isLazy = newLazy;
        heldPacketId = 0;
        if (!isLazy) {
            while (!owed.isEmpty()) {
                owed.remove().run();
            }
        }
    }

    /** Says goodbye; the will is published or not. */
    void disconnect(boolean publishWill, long newExpirySeconds) {
        SimConnection from = connection;
        if (from != null && isConnected) {
            long expiry = Math.min(newExpirySeconds, from.connect().expirySeconds()); // never from 0 [MQTT-3.14.2-2]
            mayHaveEnded |= expiry == 0;
            lastExpirySeconds = expiry;
            from.link().toBroker(() -> from.disconnect(publishWill, expiry));
            gone();
        }
    }

    /** Its next session has no subscriptions. */
    void wantsNothingMore() {
        wishes = List.of();
    }

    /** Its connection breaks, which the broker notices later. */
    void breakConnection() {
        SimConnection from = connection;
        if (from != null) {
            from.link().leftByClient(world.clock.chance(0.5));
            world.clock.after(world.clock.between(0, SimWorld.LATEST_NOTICE_MILLIS), from::lost);
            gone();
        }
    }

    // What the broker sends.

    void connectionLost(SimConnection from) {
        if (from == connection) {
            gone();
        }
    }

    void connected(SimConnection from, Attached answer) {
        if (from != connection) {
            return;
        }
        world.ledger.connected(this, answer, mayHaveEnded || wasOfflineTooLong());
        lastExpirySeconds = from.connect().expirySeconds();
        isConnected = true;
        isCleanPending = false;
        mayHaveEnded = from.connect().expirySeconds() == 0;
        if (answer.session() != session) { // perhaps one whose CONNACK got lost
            outbound.clear();
            inboundIds.clear();
            session = answer.session();
            if (from.connect().expirySeconds() > 0) {
                subscribe();
            }
        }
        outbound.forEach((packetId, one) -> {
            if (one.isReceived) {
                sendPubrel(packetId);
            } else {
                send(packetId, one.message);
            }
        });
    }

    private void subscribe() {
        for (SimRouting.Subscription wish : wishes) {
            world.routing.subscribe(
                    new SimRouting.Subscription(name, session, wish.topic(), wish.qos(), wish.group(), kind));
        }
    }

    void acknowledged(SimConnection from, int packetId, boolean isPubrec) {
        Outbound one = outbound.get(packetId);
        if (from != connection || one == null) {
            return;
        }
        world.ledger.told(one.message);
        if (isPubrec) {
            one.isReceived = true;
            sendPubrel(packetId);
        } else {
            outbound.remove(packetId);
        }
    }

    void completed(SimConnection from, int packetId) {
        if (from == connection) {
            outbound.remove(packetId);
        }
    }

    void received(SimConnection from, int packetId, Message message, boolean exactlyOnce) {
        if (from != connection) {
            return;
        }
        if (!exactlyOnce || inboundIds.add(packetId)) {
            world.ledger.delivered(this, message, exactlyOnce);
        }
        answer(
                packetId,
                () -> from.link().toBroker(() -> {
                    if (exactlyOnce) {
                        from.pubrec(packetId);
                    } else {
                        from.puback(packetId);
                    }
                }));
    }

    void released(SimConnection from, int packetId) {
        if (from == connection) {
            inboundIds.remove(packetId);
            answer(packetId, () -> from.link().toBroker(() -> from.pubcomp(packetId)));
        }
    }

    private void answer(int packetId, Runnable packet) {
        if (isLazy || packetId == heldPacketId) {
            owed.add(packet);
        } else {
            packet.run();
        }
    }

    private void send(int packetId, Message message) {
        SimConnection to = connection;
        if (to != null) {
            world.ledger.attempted(message, session);
            to.link().toBroker(() -> to.publish(packetId, message));
        }
    }

    private void sendPubrel(int packetId) {
        SimConnection to = connection;
        if (to != null) {
            to.link().toBroker(() -> to.pubrel(packetId));
        }
    }

    private void gone() {
        noteOffline();
        connection = null;
        isConnected = false;
        owed.clear();
    }

    private void noteOffline() {
        if (isConnected) {
            offlineSinceMillis = world.clock.nowMillis();
        }
    }

    /**
     * A session that was left alone for as long as its expiry interval may be over; from when on, only the broker
     * knows.
     */
    private boolean wasOfflineTooLong() {
        return lastExpirySeconds != SessionState.NEVER_EXPIRES_SECONDS
                && world.clock.nowMillis() - offlineSinceMillis >= lastExpirySeconds * 1000;
    }
}
