package io.tributary.broker.shard;

import io.tributary.persistence.shard.LogRecord;
import java.util.ArrayList;
import java.util.Arrays;
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
    /** The highest offset of a record of this process. */
    long highest = -1;
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

    /** What was handed out early is read back. */
    void readBack(List<LogRecord> log) {
        for (LogRecord record : unread) {
            leaderEpoch = log.stream()
                    .filter(other -> other.offset() == record.offset())
                    .findAny()
                    .orElseThrow()
                    .leaderEpoch();
            readBack.put(record.offset(), leaderEpoch);
        }
        unread.clear();
    }

    /** The first offset that has another record than was handed out early, or none any more; -1 for none. */
    long lostEarly(List<LogRecord> log) {
        return unread.stream()
                .filter(record -> log.stream()
                        .noneMatch(other ->
                                other.offset() == record.offset() && Arrays.equals(other.value(), record.value())))
                .mapToLong(LogRecord::offset)
                .findFirst()
                .orElse(-1);
    }
}
