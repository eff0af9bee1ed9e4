package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is read of a shard before it is claimed, from a store that answers when it is told to. */
class PreloadTest {
    private final HeldStore store = new HeldStore();
    private int ready;
    private final Preload preload = new Preload(0, store, Runnable::run, 1000, () -> ready++);

    @Test
    void stateIsKnownWhenItIsClaimedWhereItWasRead() {
        store.content.applied = 5;
        preload.begin();
        assertThat(ready).isZero();
        store.answerAll();
        assertThat(ready).isEqualTo(1);
        assertThat(preload.isOf(claim(5, null))).isTrue();
        assertThat(preload.nextPage().toCompletableFuture().join().cursor()).isNull();
    }

    @Test
    void stateIsNotKnownWhenTheOldOwnerHasSavedSince() {
        store.content.applied = 5;
        preload.begin();
        store.answerAll();
        assertThat(preload.isOf(claim(6, null))).isFalse();
    }

    @Test
    void storeIsReadAnewWhenItMovesMeanwhile() {
        store.content.applied = 5;
        preload.begin();
        store.arrive();
        store.content.applied = 6;
        store.answerAll();
        assertThat(store.sessionReads).isEqualTo(2);
        assertThat(ready).isEqualTo(1);
        assertThat(preload.isOf(claim(6, null))).isTrue();
    }

    @Test
    void readingEndsWhenTheStoreMovesAllTheTime() {
        preload.begin();
        while (store.waiting() > 0) {
            store.content.applied++;
            store.arrive();
            store.answer();
        }
        assertThat(store.sessionReads).isEqualTo(3);
        assertThat(ready).isEqualTo(1);
        assertThat(preload.isOf(claim(store.content.applied, null))).isFalse();
    }

    /** What the offset names is another record than the one that was folded. */
    @Test
    void stateIsNotKnownWhenTheLogHasUsedItsOffsetTwice() {
        store.content.applied = 5;
        preload.begin();
        store.answerAll();
        assertThat(preload.isOf(claim(5, new Reused(3, 5)))).isFalse();
        assertThat(preload.isOf(claim(5, new Reused(3, 4)))).isTrue();
    }

    @Test
    void nothingIsKnownWhenNothingWasEverSaved() {
        preload.begin();
        store.answerAll();
        assertThat(ready).isEqualTo(1);
        assertThat(preload.isOf(claim(store.content.applied, null))).isFalse();
    }

    @Test
    void nothingIsKnownWhenTheStoreFails() {
        store.content.applied = 5;
        preload.begin();
        store.fail();
        assertThat(ready).isEqualTo(1);
        assertThat(preload.isOf(claim(5, null))).isFalse();
        assertThat(store.waiting()).isZero();
    }

    @Test
    void nothingIsReadAnyMoreWhenItIsOver() {
        store.content.applied = 5;
        preload.begin();
        preload.end();
        store.answerAll();
        assertThat(ready).isEqualTo(1);
        assertThat(store.sessionReads).isZero();
        assertThat(preload.isOf(claim(5, null))).isFalse();
    }

    @Test
    void isForgottenWhenNobodyClaimsTheShard() {
        assertThat(preload.isStale(10_999)).isFalse();
        assertThat(preload.isStale(11_000)).isTrue();
    }

    private static Claim claim(long applied, @Nullable Reused reused) {
        return new Claim(applied, LogRecord.NO_LEADER, 0, 0, List.of(), reused);
    }
}
