package io.tributary.broker.connection;

import io.tributary.common.collection.PacketIdSet;
import org.jspecify.annotations.Nullable;

/**
 * The packet identifiers of a client's QoS 2 messages, from PUBLISH to PUBCOMP. Identifiers that came with a resumed
 * session live with the session, all others with the connection. Confined to the event loop.
 */
final class InboundPacketIds {

    /** How far the exchange of a message is. */
    enum State {
        /** PUBLISH came, and PUBREC is not out yet. */
        ROUTING,
        /** PUBREC is out. */
        RECEIVED,
        /** PUBREL came, and PUBCOMP is not out yet. */
        RELEASING
    }

    private final PacketIdSet open;

    // Each a part of open.
    private final PacketIdSet routing = new PacketIdSet();
    private final PacketIdSet releasing = new PacketIdSet();
    private final PacketIdSet resumed;

    /** Takes the identifiers that are open from earlier connections. */
    InboundPacketIds(int[] open) {
        this.open = new PacketIdSet(open);
        resumed = new PacketIdSet(open);
    }

    /** The state of the message with that identifier, or null when there is none. */
    @Nullable
    State get(int packetId) {
        if (!open.contains(packetId)) {
            return null;
        }
        if (routing.contains(packetId)) {
            return State.ROUTING;
        }
        return releasing.contains(packetId) ? State.RELEASING : State.RECEIVED;
    }

    /** Notes that a message is that far: each state follows the one before. */
    void put(int packetId, State state) {
        switch (state) {
            case ROUTING -> {
                open.add(packetId);
                routing.add(packetId);
            }
            case RECEIVED -> routing.remove(packetId);
            case RELEASING -> releasing.add(packetId);
        }
    }

    /** The exchange is over: the identifier stands for a new message [MQTT-4.3.3-12]. */
    void free(int packetId) {
        open.remove(packetId);
        routing.remove(packetId);
        releasing.remove(packetId);
        resumed.remove(packetId);
    }

    /** How many messages are open. */
    int size() {
        return open.size();
    }

    /** How many messages are open that came over this connection. */
    int openedHere() {
        return open.size() - resumed.size();
    }
}
