package io.tributary.broker.shard;

import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Where a process of a simulation reads a shard. */
final class SimReading {
    boolean wanted;
    boolean feeding;
    long position;
    int leaderEpoch;
    boolean early;
    /** What was handed out early and is still to be read back. */
    final List<LogRecord> unread = new ArrayList<>();
    /** The leaders of records that were read back. */
    final Map<Long, Integer> readBack = new HashMap<>();

    void from(long offset, int leaderEpochBefore) {
        position = offset;
        leaderEpoch = leaderEpochBefore;
        early = false;
        unread.clear();
    }
}
