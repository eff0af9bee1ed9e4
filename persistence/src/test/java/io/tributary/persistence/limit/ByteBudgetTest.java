package io.tributary.persistence.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ByteBudgetTest {
    private final ByteBudget budget = new ByteBudget(100);
    private final AtomicInteger ran = new AtomicInteger();

    @Test
    void refusesWhenTheLimitWouldBePassed() {
        assertThat(budget.tryAcquire(60)).isTrue();
        assertThat(budget.tryAcquire(41)).isFalse();
        assertThat(budget.tryAcquire(40)).isTrue();
        assertThat(budget.tryAcquire(1)).isFalse();
    }

    @Test
    void admitsAnythingWhenNoMoreThanHalfIsUsed() {
        assertThat(budget.tryAcquire(50)).isTrue();
        assertThat(budget.tryAcquire(1000)).isTrue();
        assertThat(budget.tryAcquire(1)).isFalse();
    }

    @Test
    void refusesEverythingUntilItIsUnblockedWhenItIsBlocked() {
        budget.block();
        budget.onRoom(ran::incrementAndGet);
        assertThat(budget.tryAcquire(1)).isFalse();
        assertThat(ran).hasValue(0);
        budget.unblock();
        assertThat(ran).hasValue(1);
        assertThat(budget.tryAcquire(100)).isTrue();
    }

    @Test
    void runsTheActionAtOnceWhenThereIsRoom() {
        budget.onRoom(ran::incrementAndGet);
        assertThat(ran).hasValue(1);
    }

    @Test
    void runsTheActionOnceWhenHalfIsFreeAgain() {
        assertThat(budget.tryAcquire(100)).isTrue();
        budget.onRoom(ran::incrementAndGet);
        budget.release(49);
        assertThat(ran).hasValue(0);
        budget.release(1);
        budget.release(50);
        assertThat(ran).hasValue(1);
    }

    @Test
    void runsTheActionLaterWhenItWaitsAgainWithinItself() {
        assertThat(budget.tryAcquire(100)).isTrue();
        budget.onRoom(() -> {
            assertThat(budget.tryAcquire(100)).isTrue();
            budget.onRoom(ran::incrementAndGet);
        });
        budget.release(60);
        assertThat(ran).hasValue(0);
        budget.release(100);
        assertThat(ran).hasValue(1);
    }
}
