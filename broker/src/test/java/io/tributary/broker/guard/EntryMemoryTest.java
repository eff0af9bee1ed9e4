package io.tributary.broker.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.guard.EntryMemory.Share;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryMemoryTest {
    private static final int KIBIBYTE = 1_024;

    private final List<Integer> gone = new ArrayList<>();
    private final EntryMemory memory = new EntryMemory(64 * KIBIBYTE, 16 * KIBIBYTE);

    @Test
    void countsTheLatestOfEachConnectionAndABufferAtLeast() {
        Share one = share(1);
        Share other = share(2);
        assertThat(memory.hold(one, 1)).isTrue();
        assertThat(memory.hold(other, 3 * KIBIBYTE)).isTrue();
        assertThat(memory.hold(other, 5 * KIBIBYTE)).isTrue();
        assertThat(memory.heldBytes()).isEqualTo(EntryMemory.LEAST_BYTES + 5 * KIBIBYTE);
        memory.release(other);
        memory.release(other);
        memory.release(one);
        memory.release(share(3));
        assertThat(memory.heldBytes()).isZero();
    }

    @Test
    void oldestWithoutAWholeConnectGiveWayWhenThereIsNoRoom() {
        List<Share> shares = fill(4);
        memory.whole(shares.get(1));
        assertThat(memory.hold(share(4), 10 * KIBIBYTE)).isTrue();
        assertThat(gone).containsExactly(0);
        assertThat(memory.hold(share(5), 16 * KIBIBYTE)).isTrue();
        assertThat(gone).as("not the one whose CONNECT is here").containsExactly(0, 2);
        assertThat(memory.heldBytes()).isLessThanOrEqualTo(64 * KIBIBYTE);
        assertThat(memory.hold(shares.getFirst(), 17 * KIBIBYTE))
                .as("gone is gone")
                .isFalse();
    }

    @Test
    void connectionThatIsLargeItselfGetsWhatIsLeftAndNoMore() {
        List<Share> shares = fill(3);
        assertThat(memory.hold(shares.get(2), 32 * KIBIBYTE)).isTrue();
        assertThat(memory.hold(shares.get(2), 32 * KIBIBYTE + 1)).isFalse();
        assertThat(gone).isEmpty();
        assertThat(memory.heldBytes()).isEqualTo(32 * KIBIBYTE);
    }

    @Test
    void newcomerIsRefusedWhenAllOthersHaveSentTheirConnect() {
        fill(4).forEach(memory::whole);
        assertThat(memory.hold(share(4), 1)).isFalse();
        assertThat(gone).containsOnly(4);
        assertThat(memory.heldBytes()).isEqualTo(64 * KIBIBYTE);
    }

    @Test
    void oldestWithoutAWholeConnectGivesWayUnlessTheyAreFew() {
        List<Share> shares = fill(4);
        memory.whole(shares.get(0));
        memory.oldestGivesWay(3, () -> false);
        memory.oldestGivesWay(2, () -> true);
        assertThat(gone).isEmpty();
        memory.oldestGivesWay(2, () -> false);
        memory.oldestGivesWay(2, () -> false);
        assertThat(gone).containsExactly(1);
        assertThat(memory.heldBytes()).isEqualTo(48 * KIBIBYTE);
    }

    private List<Share> fill(int count) {
        List<Share> shares = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            shares.add(share(i));
            assertThat(memory.hold(shares.getLast(), 16 * KIBIBYTE)).isTrue();
        }
        return shares;
    }

    private Share share(int number) {
        return new Share(() -> gone.add(number));
    }
}
