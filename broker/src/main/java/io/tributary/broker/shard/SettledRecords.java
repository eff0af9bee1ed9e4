package io.tributary.broker.shard;

import io.tributary.common.event.ByteWriter;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.TopicPosition;
import java.util.ArrayList;
import java.util.List;

/** Collects what clients settled in as few records as it fits into, in the order in which it comes. */
final class SettledRecords {
    /** The part of a record's room that is filled, unless a single entry is larger. */
    private static final int PART_OF_ROOM = 2;

    /** A varint at its longest. */
    private static final int NUMBER_BYTES = 10;

    private static final int NUMBERS_BESIDES = 6;
    private static final int SOURCE_BYTES = 24;

    private final long ownerEpoch;
    private final int most;
    private final List<Settled> records = new ArrayList<>();
    private final List<ClientSettled> clients = new ArrayList<>();
    private final List<TopicPosition> positions = new ArrayList<>();
    private long bytes;

    /** @param roomBytes how many bytes a record may have besides a packet */
    SettledRecords(long ownerEpoch, int roomBytes) {
        this.ownerEpoch = ownerEpoch;
        most = roomBytes / PART_OF_ROOM;
    }

    void add(ClientSettled client) {
        long numbers = (long) NUMBERS_BESIDES + client.settled().length + client.received().length;
        makeRoom(ByteWriter.largestSizeOf(client.clientId()) + numbers * NUMBER_BYTES);
        clients.add(client);
    }

    void add(TopicPosition position) {
        makeRoom(ByteWriter.largestSizeOf(position.clientId())
                + (long) NUMBERS_BESIDES * NUMBER_BYTES
                + (long) position.sources().size() * SOURCE_BYTES);
        positions.add(position);
    }

    private void makeRoom(long size) {
        if (bytes > 0 && bytes + size > most) {
            finish();
        }
        bytes += size;
    }

    private void finish() {
        records.add(new Settled(ownerEpoch, clients, positions));
        clients.clear();
        positions.clear();
        bytes = 0;
    }

    /** All records; to be called once. */
    List<Settled> all() {
        if (bytes > 0) {
            finish();
        }
        return records;
    }
}
