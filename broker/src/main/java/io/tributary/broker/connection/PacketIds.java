package io.tributary.broker.connection;

/**
 * Packet identifiers of messages towards clients: they follow from sequence numbers, so that a message that is sent
 * again has the same identifier, whichever node sends it [MQTT-4.3.2-1, MQTT-4.4.0-1].
 */
final class PacketIds {
    /** How many packet identifiers there are; two sequence numbers this far apart share one. */
    static final int COUNT = 65_535;

    private PacketIds() {}

    /** The packet identifier of a sequence number, which counts from 1. */
    static int of(long sequence) {
        return (int) ((sequence - 1) % COUNT) + 1; // never 0 [MQTT-2.2.1-4]
    }

    /** The lowest sequence number, from the given one on, that has the packet identifier. */
    static long sequenceFrom(long first, int packetId) {
        return first + Math.floorMod(packetId - of(first), COUNT);
    }
}
