package io.tributary.cluster.redis;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The hash tag of each shard: texts whose slots lie evenly over all there are, so that primaries with equally many
 * slots have equally many shards, give or take one or two. Tags made from the shards' numbers would give one of eight
 * primaries several times as many as another.
 *
 * <p>The tag of a slot is the first of the numbers 0, 1, 2... in base 36 that hashes to it. It must never change, for
 * the keys of a running cluster are made of it.
 */
final class SlotTags {
    private static final int RADIX = 36;
    private static final int[] NUMBER_OF_SLOT = search();

    private SlotTags() {}

    /** The tags of as many shards as there are, by shard; at most one shard a slot. */
    static List<String> of(int shards) {
        if (shards < 1 || shards > SlotHash.SLOT_COUNT) {
            throw new IllegalArgumentException("shards " + shards + ": must be 1 to " + SlotHash.SLOT_COUNT);
        }
        return IntStream.range(0, shards)
                .mapToObj(shard -> text(NUMBER_OF_SLOT[slotOf(shard, shards)]))
                .toList();
    }

    /** The middle of a shard's share of all slots. */
    private static int slotOf(int shard, int shards) {
        return (int) ((2L * shard + 1) * SlotHash.SLOT_COUNT / (2L * shards));
    }

    /** Finds a number for each slot: some 200,000 hashes of four characters, a few milliseconds. */
    private static int[] search() {
        int[] numbers = new int[SlotHash.SLOT_COUNT];
        Arrays.fill(numbers, -1);
        int found = 0;
        for (int number = 0; found < numbers.length; number++) {
            int slot = SlotHash.getSlot(text(number).getBytes(StandardCharsets.US_ASCII));
            if (numbers[slot] < 0) {
                numbers[slot] = number;
                found++;
            }
        }
        return numbers;
    }

    private static String text(int number) {
        return Integer.toString(number, RADIX);
    }
}
