package io.tributary.common.collection;

import java.util.Arrays;

/**
 * Packet identifiers, ascending. Each takes two bytes: a client may leave thousands open in each of many sessions. Not
 * thread-safe.
 */
public final class PacketIdSet {
    private static final char[] NONE = {};
    private static final int LEAST = 4;

    private char[] ids;
    private int size;

    /** Creates a set that has these. */
    public PacketIdSet(int... packetIds) {
        ids = packetIds.length == 0 ? NONE : new char[packetIds.length];
        for (int packetId : packetIds) {
            add(packetId);
        }
    }

    /** Adds one; false when it was there. */
    public boolean add(int packetId) {
        int place = -indexOf(packetId) - 1;
        if (place < 0) {
            return false;
        }
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, Math.max(LEAST, size + size / 2));
        }
        System.arraycopy(ids, place, ids, place + 1, size - place);
        ids[place] = (char) packetId;
        size++;
        return true;
    }

    /** Removes one; false when it was not there. */
    public boolean remove(int packetId) {
        int place = indexOf(packetId);
        if (place < 0) {
            return false;
        }
        size--;
        System.arraycopy(ids, place + 1, ids, place, size - place);
        if (ids.length > LEAST && size < ids.length / 4) {
            ids = Arrays.copyOf(ids, ids.length / 2);
        }
        return true;
    }

    /** Whether one is there. */
    public boolean contains(int packetId) {
        return indexOf(packetId) >= 0;
    }

    /** How many there are. */
    public int size() {
        return size;
    }

    /** All of them, ascending. */
    public int[] toArray() {
        int[] all = new int[size];
        for (int i = 0; i < size; i++) {
            all[i] = ids[i];
        }
        return all;
    }

    private int indexOf(int packetId) {
        return Arrays.binarySearch(ids, 0, size, (char) packetId);
    }
}
