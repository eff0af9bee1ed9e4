package io.tributary.broker.connection;

import io.netty.util.collection.IntObjectHashMap;
import java.util.BitSet;
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

    private final IntObjectHashMap<State> states;
    private final BitSet resumed = new BitSet();
    private int resumedLeft;

    /** Takes the identifiers that are open from earlier connections. */
    InboundPacketIds(int[] open) {
        states = new IntObjectHashMap<>(Math.max(4, open.length));
        for (int id : open) {
            states.put(id, State.RECEIVED);
            resumed.set(id);
        }
        resumedLeft = open.length;
    }

    /** The state of the message with that identifier, or null when there is none. */
    @Nullable
    State get(int packetId) {
        return states.get(packetId);
    }

    /** Notes that a message is that far. */
    void put(int packetId, State state) {
        states.put(packetId, state);
    }

    /** The exchange is over: the identifier stands for a new message [MQTT-4.3.3-12]. */
    void free(int packetId) {
        states.remove(packetId);
        if (resumed.get(packetId)) {
            resumed.clear(packetId);
            resumedLeft--;
        }
    }

    /** How many messages are open. */
    int size() {
        return states.size();
    }

    /** How many messages are open that came over this connection. */
    int openedHere() {
        return states.size() - resumedLeft;
    }
}
