package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.ExpiredPage;
import io.tributary.persistence.shard.ShardStore.Priorities;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link ShardStore} does with messages that several queues have, with those that expire, and with
 * priorities. An adapter supplies stores of at least two shards.
 */
abstract class StoredMessagesContract {
    static final int SHARD = 1;
    static final long OWNER = 10;

    @SuppressWarnings("NullAway.Init")
    ShardStore store;

    /** Opens the store, which is empty the first time in a test and later has what it had when it was closed. */
    protected abstract ShardStore open();

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void sharedMessageStaysForTheOthersWhenSomeAreDoneWithIt() {
        claim(OWNER);
        QueueEntry.Queued shared = queued(1);
        List<String> clients =
                IntStream.range(0, 20).mapToObj(i -> "client-" + i).toList();
        save(emptySave(OWNER, -1, 1)
                .queued(clients.stream()
                        .map(client -> new SequencedEntry(client, 5, shared))
                        .toList())
                .build());
        for (int gone = 0; gone < clients.size(); gone++) {
            SavePoints one = emptySave(OWNER, gone + 1, gone + 2);
            switch (gone % 3) { // acknowledged, received, or the session ends
                case 0 -> one.removed(List.of(new SequenceKey(clients.get(gone), 5)));
                case 1 -> one.queued(List.of(new SequencedEntry(clients.get(gone), 5, new QueueEntry.Released())));
                default -> one.cleared(List.of(clients.get(gone)));
            }
            save(one.build());
            for (int i = 0; i < clients.size(); i++) {
                List<Entry> entries = readQueue(clients.get(i), 0, 10, 10_000).entries();
                if (i > gone) {
                    assertThat(entries).containsExactly(new Entry(5, shared));
                } else if (i % 3 == 1) {
                    assertThat(entries).containsExactly(new Entry(5, new QueueEntry.Released()));
                } else {
                    assertThat(entries).isEmpty();
                }
            }
        }
    }

    @Test
    void messagesDifferInWhatIsTheClientsOwnWhenTheyAreShared() {
        claim(OWNER);
        Message expiring = SavePoints.message(1).withExpiry(Long.MAX_VALUE / 4);
        QueueEntry.Queued one = new QueueEntry.Queued(expiring, QoS.EXACTLY_ONCE, true, List.of(7, 300), null);
        QueueEntry.Queued other = new QueueEntry.Queued(expiring, QoS.AT_LEAST_ONCE, false, List.of(), "$share/g/#");
        save(withQueue(-1, 1, new SequencedEntry("a", 1, one), new SequencedEntry("b", 9, other)));
        assertThat(readQueue("a", 0, 10, 10_000).entries()).containsExactly(new Entry(1, one));
        assertThat(readQueue("b", 0, 10, 10_000).entries()).containsExactly(new Entry(9, other));
    }

    /** As after a log that was cut, and while a store is rebuilt: offsets go back, and messages come again. */
    @Test
    void messagesAreThereWhenTheyAreSavedAgainAtEarlierOffsets() {
        claim(OWNER);
        QueueEntry.Queued shared = queued(1);
        SequencedEntry[] both = {new SequencedEntry("a", 1, shared), new SequencedEntry("b", 1, shared)};
        save(withQueue(-1, 7, both));
        save(emptySave(OWNER, 7, -2).cleared(List.of("a", "b")).build());
        save(withQueue(-2, -3, both));
        save(withQueue(-3, 5));
        save(withQueue(5, 7, entry("a", 2), entry("b", 2)));
        for (long applied = 7; applied < 10; applied++) { // what has gone is freed by now
            save(withQueue(applied, applied + 1));
        }
        for (String client : List.of("a", "b")) {
            assertThat(readQueue(client, 0, 10, 10_000).entries())
                    .containsExactly(new Entry(1, shared), new Entry(2, queued(2)));
        }
    }

    @Test
    void expiredMessagesAreFoundWhenThereAreSome() {
        claim(OWNER);
        List<SequencedEntry> entries = new ArrayList<>();
        for (int i = 1; i <= 300; i++) { // every third never expires, the others at 1001, 1002, 1004...
            Message message = SavePoints.message(i)
                    .withExpiry(i % 3 == 0 ? Message.NEVER : 1000 + i)
                    .withPriority(i % 4);
            entries.add(new SequencedEntry(
                    "a", i, new QueueEntry.Queued(message, QoS.AT_LEAST_ONCE, false, List.of(1), null)));
        }
        entries.add(new SequencedEntry("a", 301, new QueueEntry.Released()));
        save(emptySave(OWNER, -1, 1).queued(entries).build());
        int size = entries.getFirst().entry().sizeBytes();
        assertThat(get(store.readExpired(SHARD, "a", 0, 1000, 500)))
                .isEqualTo(new ExpiredPage(List.of(), 301, false, 1));
        assertThat(get(store.readExpired(SHARD, "a", 0, 1005, 500)).expired())
                .containsExactly(
                        new Remnant(1, size, 1001, 1),
                        new Remnant(2, size, 1002, 2),
                        new Remnant(4, size, 1004, 0),
                        new Remnant(5, size, 1005, 1));
        assertThat(get(store.readExpired(SHARD, "a", 2, 1005, 3)))
                .isEqualTo(new ExpiredPage(
                        List.of(new Remnant(2, size, 1002, 2), new Remnant(4, size, 1004, 0)), 4, true, 1));
        assertThat(get(store.readExpired(SHARD, "a", 200, 5000, 101)).more()).isTrue();
        assertThat(get(store.readExpired(SHARD, "a", 200, 5000, 102)).more()).isFalse();
        assertThat(get(store.readExpired(SHARD, "a", 0, 5000, 500)).expired()).hasSize(200);
        assertThat(get(store.readExpired(SHARD, "nobody", 0, 5000, 500)))
                .isEqualTo(new ExpiredPage(List.of(), -1, false, 1));
    }

    @Test
    void onlyWantedPrioritiesComeWhenRead() {
        claim(OWNER);
        save(withQueue(
                -1,
                1,
                entry("a", 1, 0),
                entry("a", 2, 3),
                entry("a", 3, 1),
                entry("a", 4, 2),
                entry("a", 5, 3),
                new SequencedEntry("a", 6, new QueueEntry.Released()),
                entry("a", 7, 1)));
        assertThat(read(0, 100, Priorities.ALL))
                .returns(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), StoredMessagesContract::sequences);
        assertThat(sequences(read(0, 100, new Priorities(0, 0)))).containsExactly(1L);
        assertThat(sequences(read(0, 100, new Priorities(1, 2)))).containsExactly(3L, 4L, 7L);
        assertThat(sequences(read(3, 100, new Priorities(1, 3)))).containsExactly(3L, 4L, 5L, 6L, 7L);
        assertThat(read(0, 100, new Priorities(3, 3)))
                .isEqualTo(new QueuePage(
                        List.of(
                                new Entry(2, entry("a", 2, 3).entry()),
                                new Entry(5, entry("a", 5, 3).entry()),
                                new Entry(6, new QueueEntry.Released())),
                        List.of(),
                        7,
                        false,
                        1));
        assertThat(read(8, 100, new Priorities(3, 3))).isEqualTo(new QueuePage(List.of(), List.of(), -1, false, 1));
    }

    @Test
    void limitsCountOnlyWhatIsWanted() {
        claim(OWNER);
        save(withQueue(
                -1,
                1,
                LongStream.rangeClosed(1, 30)
                        .mapToObj(i -> entry("a", i, i % 3 == 0 ? 2 : 0))
                        .toArray(SequencedEntry[]::new)));
        QueuePage page = read(0, 4, new Priorities(2, 2));
        assertThat(sequences(page)).containsExactly(3L, 6L, 9L, 12L);
        assertThat(page.upTo()).isEqualTo(12);
        assertThat(page.more()).isTrue();
        int each = queued(1).sizeBytes();
        page = get(store.readQueue(SHARD, "a", 0, 100, 3 * each, new Priorities(2, 2)));
        assertThat(sequences(page)).containsExactly(3L, 6L, 9L);
        page = read(25, 4, new Priorities(0, 0));
        assertThat(sequences(page)).containsExactly(25L, 26L, 28L, 29L);
        assertThat(page.more())
                .as("that it is not wanted is not known before it is looked at")
                .isTrue();
        page = read(25, 4, new Priorities(2, 2));
        assertThat(sequences(page)).containsExactly(27L, 30L);
        assertThat(page.upTo()).isEqualTo(30);
        assertThat(page.more()).isFalse();
    }

    @Test
    void pageEndsWhenItHasPassedOverManyOthers() {
        claim(OWNER);
        long last = 2 * ShardStore.MOST_PASSED + 10;
        save(withQueue(
                -1,
                1,
                LongStream.rangeClosed(1, last)
                        .mapToObj(i -> entry("a", i, i == 5 || i == last ? 1 : 0))
                        .toArray(SequencedEntry[]::new)));
        Priorities wanted = new Priorities(1, 3);
        QueuePage page = read(0, 100, wanted);
        assertThat(sequences(page)).containsExactly(5L);
        assertThat(page.upTo()).isEqualTo(ShardStore.MOST_PASSED + 1);
        assertThat(page.more()).isTrue();
        page = read(page.upTo() + 1, 100, wanted);
        assertThat(page.entries()).isEmpty();
        assertThat(page.upTo()).isEqualTo(2 * ShardStore.MOST_PASSED + 1);
        assertThat(page.more()).isTrue();
        page = read(page.upTo() + 1, 100, wanted);
        assertThat(sequences(page)).containsExactly(last);
        assertThat(page.more()).isFalse();
    }

    Claim claim(long ownerEpoch) {
        return get(store.claim(SHARD, new Claimant(ownerEpoch)));
    }

    void save(SavePoint savePoint) {
        get(store.save(SHARD, savePoint));
    }

    QueuePage readQueue(String clientId, long from, int maxEntries, int maxBytes) {
        return get(store.readQueue(SHARD, clientId, from, maxEntries, maxBytes));
    }

    private QueuePage read(long from, int maxEntries, Priorities priorities) {
        return get(store.readQueue(SHARD, "a", from, maxEntries, Integer.MAX_VALUE, priorities));
    }

    static List<Long> sequences(QueuePage page) {
        return page.entries().stream().map(Entry::sequence).toList();
    }

    static SavePoint withQueue(long expectedApplied, long applied, SequencedEntry... queued) {
        return emptySave(OWNER, expectedApplied, applied)
                .queued(List.of(queued))
                .build();
    }

    static SequencedEntry entry(String clientId, long sequence) {
        return new SequencedEntry(clientId, sequence, queued(sequence));
    }

    private static SequencedEntry entry(String clientId, long sequence, int priority) {
        return new SequencedEntry(clientId, sequence, queued(sequence, priority));
    }
}
