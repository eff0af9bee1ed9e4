package io.tributary.cluster.kafka;

import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The requirements of a cluster on its topics.
 *
 * @param shards the number of shards, 1 to 65,535
 * @param maps the names of the replicated maps; small letters, digits and '-'
 * @param laterMaps those of them that clusters of earlier versions have not, nor the audit log
 * @param retention how long the shards' logs are kept at least: longer than a message may be queued
 * @param largestPacketBytes the largest MQTT packet that is accepted, in bytes
 */
public record TopicNeeds(
        int shards, List<String> maps, List<String> laterMaps, Duration retention, int largestPacketBytes) {
    /** What a record has besides a packet: its recipients and our fields, in bytes. */
    public static final int RECORD_OVERHEAD_BYTES = ShardLog.ROOM_BYTES;

    /** As many as Redis Cluster has slots: each shard's keys are in a slot of its own. */
    public static final int MOST_SHARDS = 16_384;

    /** What a rule set may take at most: its texts, and what each rule has besides, in bytes. */
    private static final int LARGEST_RULE_SET_BYTES = 512 * 1_024;

    /** What an owner says of each shard that something came from, in bytes at most. */
    private static final int SOURCE_BYTES = 24;

    /** Topics that are no maps. */
    private static final List<String> TAKEN = List.of("shards", "apps", "ingest", "audit", "layout");

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");

    public TopicNeeds {
        if (shards < 1 || shards > MOST_SHARDS) {
            throw new IllegalArgumentException("shards " + shards + ": must be 1 to " + MOST_SHARDS);
        }
        maps = List.copyOf(maps);
        maps.forEach(TopicNeeds::checkMapName);
        laterMaps = List.copyOf(laterMaps);
        if (!retention.isPositive()) {
            throw new IllegalArgumentException("retention " + retention + ": must be positive");
        }
        if (largestPacketBytes < 1 || largestPacketBytes > 256 * 1024 * 1024) {
            throw new IllegalArgumentException("largest packet " + largestPacketBytes + ": must be 1 byte to 256 MiB");
        }
    }

    /**
     * Checks the name of a map.
     *
     * @throws IllegalArgumentException when it is not of the allowed characters, or taken
     */
    public static void checkMapName(String name) {
        if (!NAME.matcher(name).matches() || TAKEN.contains(name)) {
            throw new IllegalArgumentException(
                    "map name " + name + ": must be small letters, digits and '-', and none of " + TAKEN);
        }
    }

    /** The largest batch that a topic has to take, in bytes. */
    int largestRecordBytes() {
        return largestRecordBytes(shards, largestPacketBytes);
    }

    /** The largest record of a map, in bytes. */
    public int largestMapRecordBytes() {
        return Math.max(largestRecordBytes(), LARGEST_RULE_SET_BYTES);
    }

    /** The largest record of a shard's log or a map, in bytes. */
    public static int largestRecordBytes(int shards, int largestPacketBytes) {
        return largestPacketBytes + RECORD_OVERHEAD_BYTES + shards * SOURCE_BYTES;
    }
}
