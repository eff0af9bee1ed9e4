package io.tributary.cluster.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.cluster.SlotHash;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotTagsTest {
    private static final int MOST_SHARDS = 4096;
    /** Up to here nobody has two more than another, with any number of primaries. */
    private static final int FEW_SHARDS = 1024;

    private static final int MOST_PRIMARIES = 16;

    @Test
    void everyShardHasASlotOfItsOwn() {
        for (int shards = 1; shards <= MOST_SHARDS; shards++) {
            assertThat(new HashSet<>(slots(shards))).hasSize(shards);
        }
    }

    @Test
    void primariesOwnNearlyTheSameNumberOfShards() {
        for (int shards = 1; shards <= MOST_SHARDS; shards++) {
            List<Integer> slots = slots(shards);
            for (int primaries = 1; primaries <= MOST_PRIMARIES; primaries++) {
                int[] owned = owned(slots, primaries);
                int least = Arrays.stream(owned).min().orElseThrow();
                int most = Arrays.stream(owned).max().orElseThrow();
                assertThat(most - least)
                        .as("%d shards on %d primaries: %s", shards, primaries, Arrays.toString(owned))
                        .isLessThanOrEqualTo(shards <= FEW_SHARDS ? 1 : 2);
            }
        }
    }

    @Test
    void tagsStayWhatTheyAreBecauseKeysAreMadeOfThem() {
        assertThat(SlotTags.of(4)).containsExactly("5nw", "h85", "7l1", "b3k");
        assertThat(SlotTags.of(128).hashCode()).isEqualTo(-481_509_210);
    }

    @Test
    void keysOfAShardAreInTheSlotOfItsTag() {
        String tag = SlotTags.of(128).get(5);
        ShardKeys keys = new ShardKeys(tag, 0);
        int slot = SlotHash.getSlot(tag);
        for (byte[] key :
                List.of(keys.position(), keys.sessions(), keys.wills(), keys.queue("{a}{b}"), keys.queue(""))) {
            assertThat(SlotHash.getSlot(key)).isEqualTo(slot);
        }
    }

    @Test
    void impossibleNumbersOfShardsAreRefused() {
        assertThatThrownBy(() -> SlotTags.of(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SlotTags.of(16_385)).hasMessageContaining("16385");
        assertThat(SlotTags.of(16_384)).doesNotHaveDuplicates();
    }

    private static List<Integer> slots(int shards) {
        return SlotTags.of(shards).stream().map(SlotHash::getSlot).toList();
    }

    /** How many of the slots each primary has, when slots are dealt out as {@code redis-cli --cluster create} does. */
    private static int[] owned(List<Integer> slots, int primaries) {
        double each = (double) SlotHash.SLOT_COUNT / primaries;
        int[] owned = new int[primaries];
        int[] end = new int[primaries];
        for (int i = 0; i < primaries; i++) {
            end[i] = i == primaries - 1 ? SlotHash.SLOT_COUNT : (int) Math.rint((i + 1) * each - 1) + 1;
        }
        int primary = 0;
        for (int slot : slots) {
            while (slot >= end[primary]) {
                primary++;
            }
            owned[primary]++;
        }
        return owned;
    }
}
