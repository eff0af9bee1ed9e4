package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.cleanStart;
import static io.tributary.broker.shard.fold.Samples.detach;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.SessionQueues.Page;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.ShardEvent.Settled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionQueuesTest {
    private final DeliveryFixture shard = DeliveryFixture.of(10, 100, Overflow.DROP_OLDEST);
    private final List<@Nullable Page> pages = new ArrayList<>();

    @BeforeEach
    void beginSession() {
        shard.fold(attach("a", 7), detach("a", 1, 0));
    }

    @Test
    void pageIsReadAtOnceWhenInMemory() {
        shard.publish("a", "1", "2", "3");
        assertThat(read(1, 10)).containsExactly("1=1", "2=2", "3=3");
        assertThat(next()).isEqualTo(4);
    }

    @Test
    void pageIsBoundedWhenInMemory() {
        shard.publish("a", "1", "2", "3");
        assertThat(read(2, 1)).containsExactly("2=2");
        assertThat(next()).isEqualTo(3);
    }

    @Test
    void pageIsBoundedInBytesWhenInMemory() {
        shard.publish("a", "x".repeat(300_000), "2");
        assertThat(read(1, 10)).hasSize(1);
        assertThat(next()).isEqualTo(2);
    }

    @Test
    void pageIsEmptyWhenThereIsNothing() {
        assertThat(read(1, 10)).isEmpty();
        assertThat(next()).isEqualTo(1);
    }

    @Test
    void pageComesFromTheStoreWhenSaved() {
        shard.publish("a", "1", "2");
        shard.save();
        shard.publish("a", "3");
        assertThat(read(1, 10)).isEmpty();
        shard.store.answerAll();
        assertThat(texts()).containsExactly("1=1", "2=2");
        assertThat(next()).isEqualTo(3);
        assertThat(read(3, 10)).containsExactly("3=3");
    }

    @Test
    void pageSaysWhereToReadOnWhenTheStoreHasMore() {
        shard.publish("a", "1", "2", "3");
        shard.save();
        read(1, 2);
        shard.store.answerAll();
        assertThat(texts()).containsExactly("1=1", "2=2");
        assertThat(next()).isEqualTo(3);
    }

    @Test
    void pageComesFromMemoryWhenBeingSaved() {
        shard.publish("a", "1", "2");
        shard.beginSave();
        shard.publish("a", "3");
        assertThat(read(1, 10)).containsExactly("1=1", "2=2", "3=3");
    }

    @Test
    void entryIsGoneWhenSettledAfterItsSavePointBegan() {
        shard.publish("a", "1", "2");
        shard.beginSave();
        settle(1);
        assertThat(read(1, 10)).containsExactly("2=2");
    }

    @Test
    void entryIsGoneWhenSettledAfterItWasSaved() {
        shard.publish("a", "1", "2");
        shard.save();
        settle(1);
        read(1, 10);
        shard.store.answerAll();
        assertThat(texts()).containsExactly("2=2");
    }

    @Test
    void entryIsGoneWhenItsRemovalIsBeingSaved() {
        shard.publish("a", "1", "2");
        shard.save();
        settle(1);
        shard.beginSave();
        read(1, 10);
        shard.store.answerAll();
        assertThat(texts()).containsExactly("2=2");
    }

    @Test
    void onlyPubrelIsLeftWhenReceivedAfterItWasSaved() {
        shard.publish("a", "1", "2");
        shard.save();
        receive(1);
        shard.publish("a", "3");
        read(1, 10);
        shard.store.answerAll();
        assertThat(texts()).containsExactly("1=PUBREL", "2=2");
    }

    @Test
    void onlyPubrelIsLeftWhenReceivedInEachTier() {
        shard.publish("a", "1", "2");
        receive(1);
        assertThat(read(1, 10)).containsExactly("1=PUBREL", "2=2");
        shard.beginSave();
        receive(2);
        assertThat(read(1, 10)).containsExactly("1=PUBREL", "2=PUBREL");
    }

    @Test
    void entryIsGoneWhenASavePointRemovedItMeanwhile() {
        shard.publish("a", "1", "2");
        shard.save();
        settle(1);
        read(1, 10);
        shard.store.arrive(); // has seen entry 1
        shard.beginSave();
        shard.queues.saved();
        shard.store.answer();
        assertThat(texts()).containsExactly("2=2");
    }

    @Test
    void pageIsGoodHoweverManySavePointsCompleteMeanwhile() {
        shard.publish("a", "1", "2", "3", "4");
        shard.save();
        read(1, 10);
        shard.store.arrive(); // has seen all
        settle(1);
        shard.beginSave();
        shard.queues.saved();
        receive(3);
        shard.beginSave();
        shard.queues.saved();
        settle(4);
        shard.publish("a", "5");
        shard.store.answer();
        assertThat(texts()).containsExactly("2=2", "3=PUBREL");
        assertThat(next()).isEqualTo(5);
    }

    @Test
    void pageIsReadAgainWhenTooManySavePointsCompleteMeanwhile() {
        shard.publish("a", "1", "2");
        shard.save();
        read(1, 10);
        shard.store.arrive();
        for (int i = 0; i < 17; i++) {
            shard.publish("a", "more");
            shard.beginSave();
            shard.queues.saved();
        }
        shard.store.answer();
        assertThat(pages).isEmpty();
        assertThat(shard.store.queueReads).containsExactly(1L, 1L);
    }

    @Test
    void newEntriesAreNotPassedOverWhenAddedMeanwhile() {
        shard.publish("a", "1");
        shard.save();
        read(1, 10);
        shard.publish("a", "2");
        shard.store.answerAll();
        assertThat(texts()).containsExactly("1=1");
        assertThat(next()).isEqualTo(2);
    }

    @Test
    void oldQueueIsVoidWhenTheSessionBeganAnew() {
        shard.publish("a", "1", "2");
        shard.save();
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "new");
        assertThat(read(1, 10)).containsExactly("1=new");
    }

    @Test
    void oldQueueIsVoidWhenItsEndIsBeingSaved() {
        shard.publish("a", "1", "2");
        shard.save();
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "new");
        shard.beginSave();
        shard.publish("a", "newer");
        assertThat(read(1, 10)).containsExactly("1=new", "2=newer");
    }

    @Test
    void pageIsNullWhenTheSessionEndsMeanwhile() {
        shard.publish("a", "1");
        shard.save();
        read(1, 10);
        shard.fold(cleanStart("a", 8));
        shard.publish("a", "new");
        shard.store.answerAll();
        assertThat(pages).hasSize(1).containsOnlyNulls();
    }

    @Test
    void pageIsNullWhenTheStoreFails() {
        shard.publish("a", "1");
        shard.save();
        read(1, 10);
        shard.store.fail();
        assertThat(pages).hasSize(1).containsOnlyNulls();
        assertThat(shard.queues.hasStoreMoved()).isFalse();
    }

    @Test
    void pageIsNullWhenTheStoreWentBackInTime() {
        shard.publish("a", "1");
        shard.save();
        read(1, 10);
        shard.store.content.applied--;
        shard.store.answerAll();
        assertThat(pages).hasSize(1).containsOnlyNulls();
        assertThat(shard.queues.hasStoreMoved()).isTrue();
    }

    @Test
    void pageIsGoodWhenTheSavePointArrivedButItsAnswerDidNot() {
        shard.publish("a", "1");
        shard.save();
        shard.publish("a", "2");
        shard.beginSave();
        shard.store.arrive();
        read(1, 10);
        shard.store.arrive();
        shard.store.answer();
        shard.store.answer();
        assertThat(texts()).containsExactly("1=1");
        assertThat(next()).isEqualTo(2);
    }

    private void settle(long sequence) {
        shard.fold(new Settled(DeliveryFixture.OWNER, List.of(Samples.settled("a", 1, "m", sequence)), List.of()));
    }

    private void receive(long sequence) {
        shard.fold(new Settled(DeliveryFixture.OWNER, List.of(Samples.received("a", 1, "m", sequence)), List.of()));
    }

    /** Reads a page; what is there at once. */
    private List<String> read(long from, int max) {
        pages.clear();
        shard.queues.read(shard.client("a"), from, max, pages::add);
        return pages.isEmpty() ? List.of() : texts();
    }

    private List<String> texts() {
        return page().entries().stream()
                .map(entry -> entry.sequence() + "="
                        + (entry.entry() instanceof Queued queued ? Samples.text(queued.message()) : "PUBREL"))
                .toList();
    }

    private long next() {
        return page().next();
    }

    private Page page() {
        return Objects.requireNonNull(pages.getLast());
    }
}
