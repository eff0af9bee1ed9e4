package io.tributary.persistence.redis;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The hash tag of each shard: texts whose slots lie evenly over all there are, so that primaries with equally many slots
 * have equally many shards, give or take one. Tags made from the shards' numbers would give one of eight primaries several
 * times as many as another.
 *
 * <p>The tag of a slot is the first of the numbers 0, 1, 2... in base 36 that hashes to it. It must never change, for the
 * keys of a running cluster are made of it.
 */
final class SlotTags {
    private static final int RADIX = 36;

    private SlotTags() {}

    /** The tags of as many shards as there are, by shard; at most one shard a slot. Takes some milliseconds. */
    static List<String> of(int shards) {
        if (shards < 1 || shards > SlotHash.SLOT_COUNT) {
            throw new IllegalArgumentException("shards " + shards + ": must be 1 to " + SlotHash.SLOT_COUNT);
        }
        Map<Integer, Integer> shardOfSlot = new HashMap<>();
        for (int shard = 0; shard < shards; shard++) {
            shardOfSlot.put(slotOf(shard, shards), shard);
        }
        String[] tags = new String[shards];
        for (int number = 0; !shardOfSlot.isEmpty(); number++) {
            String tag = Integer.toString(number, RADIX);
            Integer shard = shardOfSlot.remove(SlotHash.getSlot(tag.getBytes(StandardCharsets.US_ASCII)));
            if (shard != null) {
                tags[shard] = tag;
            }
        }
        return List.of(tags);
    }

    /** The slot of a shard: the middle of its share of all slots. */
    private static int slotOf(int shard, int shards) {
        return (int) ((2L * shard + 1) * SlotHash.SLOT_COUNT / (2L * shards));
    }
}
