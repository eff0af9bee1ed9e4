package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.SavePoints.will;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every {@link ShardStore} does. */
public abstract class ShardStoreContract extends StoredMessagesContract {
    @Test
    void nothingIsAppliedWhenClaimedForTheFirstTime() {
        assertThat(claim(OWNER)).isEqualTo(new Claim(ShardStore.NOTHING_APPLIED, -1, List.of()));
    }

    @Test
    void claimSucceedsWhenRepeatedOrNewer() {
        claim(OWNER);
        claim(OWNER);
        assertThat(claim(OWNER + 1).applied()).isEqualTo(ShardStore.NOTHING_APPLIED);
    }

    @Test
    void claimIsRefusedWhenOlder() {
        claim(OWNER);
        assertFails(store.claim(SHARD, new Claimant(OWNER - 1)), FencedException.class);
    }

    @Test
    void claimTellsWhereTheStateStandsWhenSaved() {
        claim(OWNER);
        save(sources(-1, 7, new SourcePosition(0, 100, 2), new SourcePosition(3, 5, 0)));
        save(sources(7, 9, new SourcePosition(0, 101, 0)));
        Claim claim = claim(OWNER + 1);
        assertThat(claim.applied()).isEqualTo(9);
        assertThat(claim.sources())
                .containsExactlyInAnyOrder(new SourcePosition(0, 101, 0), new SourcePosition(3, 5, 0));
    }

    @Test
    void claimTellsTheLatestOwnerThatIsFoldedWhenAnotherSaves() {
        claim(OWNER);
        save(emptySave(OWNER, -1, 3).foldedOwner(2).build());
        assertThat(claim(OWNER + 1).foldedOwner()).isEqualTo(2);
        save(emptySave(OWNER + 1, 3, 4).build());
        assertThat(claim(OWNER + 2).foldedOwner()).isEqualTo(OWNER + 1);
    }

    @Test
    void anybodyIsToldHowFarTheStateIsFolded() {
        assertThat(get(store.applied(SHARD))).isEqualTo(ShardStore.NOTHING_APPLIED);
        claim(OWNER);
        assertThat(get(store.applied(SHARD))).isEqualTo(ShardStore.NOTHING_APPLIED);
        save(withSessions(-1, 5, session("a", 1)));
        claim(OWNER + 1);
        assertThat(get(store.applied(SHARD))).isEqualTo(5);
        assertThat(get(store.applied(0))).isEqualTo(ShardStore.NOTHING_APPLIED);
    }

    @Test
    void saveIsRefusedWhenANewerOwnerHasClaimed() {
        claim(OWNER);
        claim(OWNER + 1);
        assertFails(store.save(SHARD, withSessions(-1, 5, session("a", 1))), FencedException.class);
        assertThat(readSessions(SHARD)).isEmpty();
    }

    @Test
    void saveIsRefusedWhenTheStateIsAtAnotherOffset() {
        claim(OWNER);
        save(withSessions(-1, 5, session("a", 1)));
        assertFails(store.save(SHARD, withSessions(4, 6, session("a", 2))), FencedException.class);
        assertFails(store.save(SHARD, withSessions(-1, 6, session("a", 2))), FencedException.class);
        assertThat(readSessions(SHARD))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(session("a", 1));
        assertThat(claim(OWNER).applied()).isEqualTo(5);
    }

    @Test
    void saveSucceedsAndChangesNothingWhenRepeated() {
        claim(OWNER);
        SavePoint first = withSessions(-1, 5, session("a", 1));
        save(first);
        save(first);
        assertThat(claim(OWNER).applied()).isEqualTo(5);
        assertThat(readSessions(SHARD)).hasSize(1);
    }

    @Test
    void saveOfAnOldOwnerIsRefusedWhenRepeatedAfterANewClaim() {
        claim(OWNER);
        SavePoint first = withSessions(-1, 5, session("a", 1));
        save(first);
        claim(OWNER + 1);
        assertFails(store.save(SHARD, first), FencedException.class);
    }

    @Test
    void sessionsAreReplacedWhenSavedAgain() {
        claim(OWNER);
        save(withSessions(-1, 1, session("a", 1), session("b", 1)));
        save(withSessions(1, 2, session("a", 2)));
        assertThat(readSessions(SHARD))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactlyInAnyOrder(session("a", 2), session("b", 1));
    }

    @Test
    void sessionsComeOnceEachWhenReadInPages() {
        claim(OWNER);
        List<StoredSession> sessions = IntStream.range(0, 6000)
                .mapToObj(i -> session("client-with-a-rather-long-identifier-" + i, i))
                .toList();
        save(withSessions(-1, 1, sessions.toArray(new StoredSession[0])));
        save(withWills(
                1,
                2,
                List.of(),
                IntStream.range(0, 100).mapToObj(i -> will("c" + i, i)).toList()));
        assertThat(pages(SHARD)).hasSizeGreaterThan(1);
        assertThat(readSessions(SHARD))
                .extracting(StoredSession::clientId)
                .containsExactlyInAnyOrderElementsOf(
                        sessions.stream().map(StoredSession::clientId).toList());
        assertThat(readWills(SHARD)).hasSize(100);
    }

    @Test
    void shardsKeepApartWhenTheirClientsHaveTheSameName() {
        claim(OWNER);
        get(store.claim(0, new Claimant(3)));
        save(withSessions(-1, 1, session("a", 1)));
        get(store.save(
                0,
                emptySave(3, -1, 8)
                        .sessions(List.of(session("a", 2), session("b", 2)))
                        .build()));
        assertThat(readSessions(SHARD))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(session("a", 1));
        assertThat(readSessions(0)).hasSize(2);
    }

    @Test
    void willsAreKeptByClientAndEpochWhenSaved() {
        claim(OWNER);
        save(withWills(-1, 1, List.of(), List.of(will("a", 1), will("a", 2), will("b", 1))));
        ClientWill due = new ClientWill("a", 2, will("a", 2).will(), true);
        save(withWills(1, 2, List.of(new WillKey("a", 1)), List.of(due)));
        assertThat(readWills(SHARD)).containsExactlyInAnyOrder(due, will("b", 1));
    }

    @Test
    void willStaysWhenItIsRemovedAndSetInOneSavePoint() {
        claim(OWNER);
        save(withWills(-1, 1, List.of(), List.of(will("a", 1))));
        save(withWills(1, 2, List.of(new WillKey("a", 1)), List.of(will("a", 1))));
        assertThat(readWills(SHARD)).containsExactly(will("a", 1));
    }

    @Test
    void queueComesInOrderWhenRead() {
        claim(OWNER);
        save(withQueue(-1, 1, entry("a", 300), entry("a", 2), entry("a", 70_000), entry("a", 1)));
        QueuePage page = readQueue("a", 0, 100, Integer.MAX_VALUE);
        assertThat(page.entries())
                .containsExactly(
                        new Entry(1, queued(1)),
                        new Entry(2, queued(2)),
                        new Entry(300, queued(300)),
                        new Entry(70_000, queued(70_000)));
        assertThat(page.more()).isFalse();
    }

    @Test
    void queueIsCutIntoPagesWhenEntriesAreLimited() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 10)));
        QueuePage page = readQueue("a", 3, 4, Integer.MAX_VALUE);
        assertThat(sequences(page)).containsExactly(3L, 4L, 5L, 6L);
        assertThat(page.more()).isTrue();
        QueuePage last = readQueue("a", 7, 4, Integer.MAX_VALUE);
        assertThat(sequences(last)).containsExactly(7L, 8L, 9L, 10L);
        assertThat(last.more()).isFalse();
    }

    @Test
    void queueIsCutIntoPagesWhenBytesAreLimited() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 10)));
        int each = queued(1).message().sizeBytes();
        assertThat(sequences(readQueue("a", 0, 100, 3 * each))).containsExactly(1L, 2L, 3L);
        assertThat(sequences(readQueue("a", 0, 100, 3 * each + 1))).containsExactly(1L, 2L, 3L, 4L);
        assertThat(readQueue("a", 0, 100, 3 * each).more()).isTrue();
    }

    @Test
    void pageTellsTheOffsetOfItsStateWhenReadAmongSavePoints() {
        claim(OWNER);
        CompletableFuture<Void> saving = CompletableFuture.runAsync(() -> {
            for (long sequence = 0; sequence < 1000; sequence++) {
                save(withQueue(sequence - 1, sequence, entry("a", sequence)));
            }
        });
        for (long from = 0; !saving.isDone(); ) {
            QueuePage page = readQueue("a", from, Integer.MAX_VALUE, Integer.MAX_VALUE);
            long last = page.entries().isEmpty()
                    ? from - 1
                    : page.entries().getLast().sequence();
            if (page.more()) { // a store may end a page before the limits
                assertThat(last).isLessThan(page.applied());
            } else {
                assertThat(last).isEqualTo(page.applied());
            }
            from = Math.max(0, last);
        }
        saving.join();
        assertThat(readQueue("a", 999, 10, 1000).applied()).isEqualTo(999);
    }

    @Test
    void oneEntryComesWhenTheLimitsAreSmaller() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 3)));
        assertThat(sequences(readQueue("a", 2, 1, 0))).containsExactly(2L);
        assertThat(sequences(readQueue("a", 2, 0, 1))).containsExactly(2L);
    }

    @Test
    void queueIsEmptyWhenNothingWasQueued() {
        assertThat(readQueue("nobody", 0, 10, 1000))
                .isEqualTo(new QueuePage(List.of(), false, ShardStore.NOTHING_APPLIED));
    }

    @Test
    void entriesGoOrAreReplacedWhenASavePointSaysSo() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 3)));
        save(emptySave(OWNER, 1, 2)
                .removed(List.of(new SequenceKey("a", 1), new SequenceKey("a", 99)))
                .queued(List.of(new SequencedEntry("a", 3, new QueueEntry.Released())))
                .build());
        assertThat(readQueue("a", 0, 10, 10_000).entries())
                .containsExactly(new Entry(2, queued(2)), new Entry(3, new QueueEntry.Released()));
    }

    @Test
    void queuesKeepApartWhenNamesAreAlike() {
        claim(OWNER);
        save(withQueue(-1, 1, entry("a", 1), entry("a\0", 2), entry("ab", 3), entry("", 4), entry("b", 5)));
        assertThat(sequences(readQueue("a", 0, 10, 10_000))).containsExactly(1L);
        assertThat(sequences(readQueue("a\0", 0, 10, 10_000))).containsExactly(2L);
        assertThat(sequences(readQueue("", 0, 10, 10_000))).containsExactly(4L);
    }

    @Test
    void sessionAndQueueGoAndWillsStayWhenAClientIsCleared() {
        claim(OWNER);
        save(emptySave(OWNER, -1, 1)
                .sessions(List.of(session("a", 1), session("b", 1)))
                .queued(List.of(entry("a", 1), entry("b", 1)))
                .wills(List.of(will("a", 1)))
                .build());
        save(emptySave(OWNER, 1, 2).cleared(List.of("a", "nobody")).build());
        assertThat(readSessions(SHARD)).extracting(StoredSession::clientId).containsExactly("b");
        assertThat(readQueue("a", 0, 10, 10_000).entries()).isEmpty();
        assertThat(sequences(readQueue("b", 0, 10, 10_000))).containsExactly(1L);
        assertThat(readWills(SHARD)).containsExactly(will("a", 1));
    }

    @Test
    void longQueueGoesWhenAClientIsCleared() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 1000)));
        save(emptySave(OWNER, 1, 2).cleared(List.of("a")).build());
        assertThat(readQueue("a", 0, 10, 10_000).entries()).isEmpty();
    }

    @Test
    void whatIsPutStaysWhenTheSameSavePointClearsTheClient() {
        claim(OWNER);
        save(withQueue(-1, 1, entries("a", 1, 100)));
        save(emptySave(OWNER, 1, 2)
                .cleared(List.of("a"))
                .sessions(List.of(session("a", 2)))
                .queued(List.of(entry("a", 1)))
                .build());
        assertThat(readSessions(SHARD))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactly(session("a", 2));
        assertThat(sequences(readQueue("a", 0, 10, 10_000))).containsExactly(1L);
    }

    @Test
    void everythingIsThereWhenReopened() {
        claim(OWNER);
        save(emptySave(OWNER, -1, 4)
                .snapshotMillis(77)
                .sources(List.of(new SourcePosition(0, 9, 1)))
                .sessions(List.of(session("a", 1)))
                .queued(List.of(entry("a", 1)))
                .wills(List.of(will("a", 1)))
                .build());
        store.close();
        store = open();
        assertFails(store.claim(SHARD, new Claimant(OWNER - 1)), FencedException.class);
        assertThat(claim(OWNER))
                .isEqualTo(new Claim(4, LogRecord.NO_LEADER, OWNER, 77, List.of(new SourcePosition(0, 9, 1)), null));
        assertThat(readSessions(SHARD)).hasSize(1);
        assertThat(readWills(SHARD)).hasSize(1);
        assertThat(sequences(readQueue("a", 0, 10, 10_000))).containsExactly(1L);
    }

    @Test
    void acceptedSavePointsAreCompletedWhenClosed() {
        claim(OWNER);
        CompletionStage<@Nullable Void> saved = store.save(SHARD, withSessions(-1, 5, session("a", 1)));
        store.close();
        assertThat(saved.toCompletableFuture()).isCompleted();
    }

    @Test
    void callsFailWhenClosed() {
        store.close();
        assertFails(store.claim(SHARD, new Claimant(OWNER)), RuntimeException.class);
        assertFails(store.save(SHARD, withSessions(-1, 5)), RuntimeException.class);
    }

    private List<SessionPage> pages(int shard) {
        List<SessionPage> pages = new ArrayList<>();
        String cursor = null;
        do {
            pages.add(get(store.readSessions(shard, cursor)));
            cursor = pages.getLast().cursor();
        } while (cursor != null);
        return pages;
    }

    private List<StoredSession> readSessions(int shard) {
        return pages(shard).stream().flatMap(page -> page.sessions().stream()).toList();
    }

    private List<ClientWill> readWills(int shard) {
        return pages(shard).stream().flatMap(page -> page.wills().stream()).toList();
    }

    private static SavePoint sources(long expectedApplied, long applied, SourcePosition... sources) {
        return emptySave(OWNER, expectedApplied, applied)
                .sources(List.of(sources))
                .build();
    }

    private static SavePoint withSessions(long expectedApplied, long applied, StoredSession... sessions) {
        return emptySave(OWNER, expectedApplied, applied)
                .sessions(List.of(sessions))
                .build();
    }

    private static SavePoint withWills(
            long expectedApplied, long applied, List<WillKey> removed, List<ClientWill> wills) {
        return emptySave(OWNER, expectedApplied, applied)
                .willsRemoved(removed)
                .wills(wills)
                .build();
    }

    private static SequencedEntry[] entries(String clientId, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(sequence -> entry(clientId, sequence))
                .toArray(SequencedEntry[]::new);
    }
}
