package io.tributary.broker.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnfinishedPacketTest {
    private static final int LARGE = 100_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final UnfinishedPackets all = new UnfinishedPackets(2 * LARGE + 1000);
    private final List<String> told = new ArrayList<>();
    private boolean isPaused;
    private final UnfinishedPacket one = packet("one");
    private final UnfinishedPacket two = packet("two");
    private final UnfinishedPacket three = packet("three");

    UnfinishedPacketTest() {
        channel.freezeTime();
    }

    @Test
    void smallPacketsAreNotCounted() {
        one.hold(UnfinishedPackets.FREE_BYTES, UnfinishedPackets.FREE_BYTES, true);
        two.hold(2 * LARGE, 2 * LARGE, true);
        assertThat(one.isWaiting()).isFalse();
        assertThat(two.isWaiting()).isFalse();
    }

    @Test
    void packetWaitsWhenAllTogetherAreTooLarge() {
        fill();
        three.hold(LARGE, LARGE, true);
        assertThat(three.isWaiting()).isTrue();
        one.hold(0, 0, true);
        channel.runPendingTasks();
        assertThat(told).containsExactly("three goes on");
        assertThat(three.isWaiting()).isFalse();
    }

    @Test
    void memoryIsGivenBackWhenAConnectionEnds() {
        fill();
        one.release();
        two.release();
        three.hold(2 * LARGE, 2 * LARGE, true);
        assertThat(three.isWaiting()).isFalse();
    }

    @Test
    void nothingIsLeftOfAConnectionThatEndsWhileItWaits() {
        fill();
        three.hold(LARGE, LARGE, true);
        assertThat(all.isShort()).isTrue();
        three.release();
        assertThat(all.isShort()).isFalse();
        one.release();
        channel.runPendingTasks();
        assertThat(told).isEmpty();
    }

    @Test
    void waitingPacketsAreWokenOnlyWhenThereIsRoom() {
        fill();
        three.hold(LARGE, LARGE, true);
        one.hold(LARGE / 2, LARGE / 2, false);
        channel.runPendingTasks();
        assertThat(told).isEmpty();
        two.hold(LARGE / 2, LARGE / 2, false);
        channel.runPendingTasks();
        assertThat(told).containsExactly("three goes on");
    }

    @Test
    void packetThatDoesNotGrowIsGivenUpWhenOthersWait() {
        fill();
        three.hold(LARGE, LARGE, true);
        pass(1);
        one.hold(LARGE + 1, LARGE + 1, false);
        pass(1);
        assertThat(told).containsExactly("two is given up");
    }

    @Test
    void packetThatDoesNotEndIsGivenUpWhenOthersWait() {
        fill();
        three.hold(LARGE, LARGE, true);
        for (int i = 1; i <= 9; i++) {
            pass(1);
            one.hold(LARGE + i, LARGE + i, false);
            two.hold(LARGE + i, LARGE + i, false);
        }
        assertThat(told).isEmpty();
        pass(1);
        assertThat(told).containsExactly("one is given up", "two is given up");
    }

    @Test
    void packetThatWaitsIsGivenUpLater() {
        fill();
        three.hold(LARGE, LARGE, true);
        pass(29);
        assertThat(told).doesNotContain("three is given up");
        pass(1);
        assertThat(told).contains("three is given up");
    }

    @Test
    void packetMayTakeItsTimeWhenNobodyWaits() {
        fill();
        pass(100);
        assertThat(told).isEmpty();
    }

    @Test
    void nextPacketHasItsOwnTime() {
        fill();
        three.hold(LARGE, LARGE, true);
        for (int i = 1; i <= 9; i++) {
            pass(1);
            one.hold(LARGE + i, LARGE + i, i == 9);
            two.hold(LARGE + i, LARGE + i, false);
        }
        pass(1);
        assertThat(told).containsExactly("two is given up");
    }

    @Test
    void nextPacketIsProgressThoughItTakesAsMuchMemory() {
        fill();
        three.hold(LARGE, LARGE, true);
        pass(1);
        one.hold(LARGE, LARGE, true);
        pass(1);
        assertThat(told).containsExactly("two is given up");
    }

    @Test
    void wholePacketWaitsForMemoryAndDoesNotTakeAny() {
        fill();
        one.hold(LARGE + 2_000, LARGE + 2_000, false);
        assertThat(three.mayBegin()).isFalse();
        three.hold(LARGE, LARGE, true);
        assertThat(all.held()).isEqualTo(2 * LARGE + 2_000);
        assertThat(two.mayBegin()).isTrue();

        one.release();
        channel.runPendingTasks();

        assertThat(told).containsExactly("three goes on");
        assertThat(three.mayBegin()).isTrue();
    }

    @Test
    void nothingIsLeftOfAConnectionThatEndsWhileItsWholePacketWaits() {
        fill();
        one.hold(LARGE + 2_000, LARGE + 2_000, false);
        assertThat(three.mayBegin()).isFalse();
        three.hold(LARGE, LARGE, true);

        three.release();

        assertThat(all.isShort()).isFalse();
        assertThat(three.isWaiting()).isFalse();
    }

    @Test
    void packetGrowsThoughItsBufferDoesNot() {
        one.hold(LARGE / 2, LARGE, true);
        two.hold(LARGE / 2, LARGE, true);
        three.hold(LARGE, LARGE, true);
        pass(1);
        one.hold(LARGE / 2 + 1, LARGE, false);
        pass(1);
        assertThat(told).containsExactly("two is given up");
    }

    @Test
    void smallRestInLargeBufferIsNotCounted() {
        one.hold(1, 2 * LARGE, true);
        two.hold(2 * LARGE, 2 * LARGE, true);
        assertThat(two.isWaiting()).isFalse();
    }

    @Test
    void connectionThatIsPausedIsNotGivenUp() {
        fill();
        three.hold(LARGE, LARGE, true);
        isPaused = true;
        pass(100);
        assertThat(told).isEmpty();
        isPaused = false;
        pass(2);
        assertThat(told).containsExactly("one is given up", "two is given up");
    }

    @Test
    void connectionThatIsPausedCountsAndDoesNotWait() {
        fill();
        isPaused = true;
        three.hold(LARGE, LARGE, true);
        assertThat(three.isWaiting()).isFalse();
        isPaused = false;
        one.release();
        one.hold(LARGE, LARGE, true);
        assertThat(one.isWaiting()).isTrue();
    }

    @Test
    void connectionThatIsPausedAndGrowsAllTheSameIsGivenUpWhenThereIsNoMemory() {
        fill();
        isPaused = true;
        three.hold(LARGE, LARGE, true);
        three.hold(2 * LARGE, 2 * LARGE, false);
        assertThat(told).isEmpty();
        one.hold(2 * LARGE, 2 * LARGE, false);
        three.hold(3 * LARGE, 3 * LARGE, false);
        assertThat(told).containsExactly("three is given up");
    }

    @Test
    void connectionThatIsPausedHasTheRestOfItsReadAlthoughThereIsNoMemory() {
        fill();
        isPaused = true;
        three.hold(4 * LARGE, 4 * LARGE, true);
        three.hold(5 * LARGE, 5 * LARGE, false);
        assertThat(told).isEmpty();
    }

    private void fill() {
        one.hold(LARGE, LARGE, true);
        two.hold(LARGE, LARGE, true);
        assertThat(one.isWaiting()).isFalse();
        assertThat(two.isWaiting()).isFalse();
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    private UnfinishedPacket packet(String name) {
        return new UnfinishedPacket(
                channel.eventLoop(),
                all,
                () -> isPaused,
                () -> told.add(name + " goes on"),
                () -> told.add(name + " is given up"));
    }
}
