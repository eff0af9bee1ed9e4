package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.SavePoints.will;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import io.tributary.cluster.redis.RedisRecorder.Failure;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Will;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.Priorities;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.Reused;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the scripts do beyond what every store does. */
class ScriptsTest {
    private static final int SHARD = 2;
    private static final long OWNER = 10;
    private static final int PAGE_BYTES = 256 << 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster cluster;

    private final CountingRecorder recorder = new CountingRecorder();

    @SuppressWarnings("NullAway.Init")
    private RedisShardStore store;

    @BeforeAll
    static void connect() {
        redis = LocalRedis.in(folder).start();
        cluster = RedisCluster.connect(TestRedis.config(redis));
    }

    @AfterAll
    static void disconnect() {
        cluster.close();
        redis.close();
    }

    @BeforeEach
    void openStore() {
        TestRedis.clear(cluster);
        store = new RedisShardStore(cluster, 4, RecordFormat.alone(), recorder);
        get(store.claim(SHARD, new Claimant(OWNER)));
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void repeatedSavePointIsRecognisedAndChangesNothing() {
        SavePoint first = withQueue(-1, 1, entry("a", 1), entry("a", 2));
        assertThat(run(first)).isEqualTo(1);
        assertThat(run(first)).isZero();
        assertThat(sequences("a")).containsExactly(1L, 2L);
    }

    @Test
    void savePointOfAnotherOwnerIsNotTakenForARepetition() {
        get(store.save(SHARD, withQueue(-1, 1, entry("a", 1))));
        assertFenced(
                store.save(SHARD, emptySave(OWNER + 1, -1, 1).build()),
                "shard 2: the state is at offset 1, and the save point expects -1");
    }

    @Test
    void fencesTellWhatWasExpectedAndFound() {
        get(store.save(SHARD, withQueue(-1, 5)));
        assertFenced(
                store.save(SHARD, withQueue(4, 6)), "shard 2: the state is at offset 5, and the save point expects 4");
        get(store.claim(SHARD, new Claimant(12)));
        assertFenced(store.save(SHARD, withQueue(5, 6)), "shard 2: owner 12 has claimed it after owner 10");
        assertFenced(store.claim(SHARD, new Claimant(11)), "shard 2: owner 12 has claimed it after owner 11");
        assertThat(recorder.failures()).containsOnly(Failure.FENCED).hasSize(3);
    }

    @Test
    void epochsAreComparedAsNumbers() {
        get(store.claim(SHARD, new Claimant(100)));
        assertFenced(store.claim(SHARD, new Claimant(99)), "shard 2: owner 100 has claimed it after owner 99");
        long highest = (1L << 53) - 1;
        get(store.claim(SHARD, new Claimant(highest)));
        assertFenced(
                store.claim(SHARD, new Claimant(highest - 1)),
                "shard 2: owner 9007199254740991 has claimed it after owner 9007199254740990");
    }

    @Test
    void stateOfAnotherLogIsGivenToNobodyButWhoAcceptsIt() {
        get(store.claim(SHARD, new Claimant(11, "log-a", false, null)));
        get(store.save(SHARD, emptySave(11, -1, 70).build()));
        assertFenced(
                store.claim(SHARD, new Claimant(12, "log-b", false, null)),
                "its state in Redis, up to offset 70, is that of another log, log-a");
        Claim claim = get(store.claim(SHARD, new Claimant(80, "log-b", true, new Reused(0, 79))));
        assertThat(claim.applied()).isEqualTo(-1);
        assertThat(claim.reused()).isEqualTo(new Reused(0, 79));
        assertThat(get(store.claim(SHARD, new Claimant(80, "log-b", false, null))))
                .isEqualTo(claim);
    }

    @Test
    void stateIsSaidToBeFoldedUpToWhereItsLogHasOtherRecords() {
        get(store.save(SHARD, emptySave(OWNER, -1, 50).snapshotMillis(77).build()));
        Claim claim = get(store.claim(SHARD, new Claimant(61, "", false, new Reused(40, 60))));
        assertThat(claim.applied()).isEqualTo(39);
        assertThat(claim.snapshotMillis()).isEqualTo(ShardStore.NO_SNAPSHOT);
        get(store.save(SHARD, emptySave(61, 39, 45).build()));
        assertThat(get(store.claim(SHARD, new Claimant(70))).applied()).isEqualTo(45);
        claim = get(store.claim(SHARD, new Claimant(80, "", false, new Reused(55, 79))));
        assertThat(claim.applied()).isEqualTo(45);
        assertThat(claim.reused()).as("what is still to be folded again, too").isEqualTo(new Reused(40, 79));
        get(store.save(SHARD, emptySave(80, 45, 90).build()));
        claim = get(store.claim(SHARD, new Claimant(120, "", false, new Reused(95, 119))));
        assertThat(claim.applied()).isEqualTo(90);
        assertThat(claim.reused()).isEqualTo(new Reused(95, 119));
    }

    @Test
    void newOwnerMaySaveWhereItsClaimWasLost() {
        get(store.save(SHARD, withQueue(-1, 5)));
        get(store.save(SHARD, emptySave(OWNER + 1, 5, 6).build()));
        assertFenced(store.save(SHARD, withQueue(6, 7)), "shard 2: owner 11 has claimed it after owner 10");
    }

    @Test
    void scriptsAreLoadedAgainWhenRedisForgotThem() {
        get(store.save(SHARD, withQueue(-1, 1, entry("a", 1))));
        cluster.connection().sync().scriptFlush();
        get(store.save(SHARD, withQueue(1, 2, entry("a", 2))));
        cluster.connection().sync().scriptFlush();
        assertThat(sequences("a")).containsExactly(1L, 2L);
        assertThat(recorder.failures()).isEmpty();
    }

    @Test
    void numbersAreExactUpToTheLimitAndRefusedBehind() {
        long highest = (1L << 53) - 1;
        get(store.save(SHARD, withQueue(-1, 1, entry("a", highest - 1), entry("a", highest), entry("a", 1))));
        assertThat(sequences("a")).containsExactly(1L, highest - 1, highest);
        get(store.save(
                SHARD,
                emptySave(OWNER, 1, highest)
                        .removed(List.of(new SequenceKey("a", highest)))
                        .build()));
        QueuePage page = get(store.readQueue(SHARD, "a", 2, 10, PAGE_BYTES));
        assertThat(page.applied()).isEqualTo(highest);
        assertThat(page.entries()).extracting(Entry::sequence).containsExactly(highest - 1);
        assertFails(store.save(SHARD, withQueue(highest, highest + 1)), RedisStoreException.class);
        assertFails(store.save(SHARD, withQueue(highest, highest, entry("a", highest + 1))), RedisStoreException.class);
    }

    @Test
    void longQueueIsReadInSmallPages() {
        get(store.save(SHARD, withQueue(-1, 1, entries("a", 10_000))));
        QueuePage first = get(store.readQueue(SHARD, "a", 0, Integer.MAX_VALUE, Integer.MAX_VALUE));
        assertThat(first.entries()).hasSize(RedisShardStore.MAX_ENTRIES);
        assertThat(first.more()).isTrue();
        List<Long> all = new ArrayList<>();
        QueuePage page;
        long from = 0;
        do {
            page = get(store.readQueue(SHARD, "a", from, 1000, PAGE_BYTES));
            page.entries().forEach(entry -> all.add(entry.sequence()));
            from = all.getLast() + 1;
        } while (page.more());
        assertThat(all)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 10_000).boxed().toList());
    }

    @Test
    void pagesOfLargeMessagesAreBoundedInBytes() {
        int size = 10_000;
        SequencedEntry[] large = LongStream.rangeClosed(1, 200)
                .mapToObj(sequence -> new SequencedEntry("a", sequence, large(sequence, size)))
                .toArray(SequencedEntry[]::new);
        get(store.save(SHARD, withQueue(-1, 1, large)));
        long receivedBefore = recorder.receivedBytes();
        QueuePage page = get(store.readQueue(SHARD, "a", 0, 1000, Integer.MAX_VALUE));
        assertThat(page.entries()).hasSize(PAGE_BYTES / size + 1);
        assertThat(page.more()).isTrue();
        assertThat(recorder.receivedBytes() - receivedBefore).isLessThan(PAGE_BYTES + 2 * size);
    }

    /** Among many of a few KB that lie in the queue, and are read with it. */
    @Test
    void pagesThatPassOverOthersAreBoundedInBytes() {
        int size = 3_000;
        int count = 1_000;
        SequencedEntry[] entries = LongStream.rangeClosed(1, count)
                .mapToObj(i -> new SequencedEntry("a", i, i == count ? queued(i, 3) : large(i, size)))
                .toArray(SequencedEntry[]::new);
        get(store.save(SHARD, withQueue(-1, 1, entries)));
        long receivedBefore = recorder.receivedBytes();
        QueuePage page = get(store.readQueue(SHARD, "a", 0, 1, 1, new Priorities(1, 3)));
        assertThat(page.entries()).isEmpty();
        assertThat(page.upTo()).isBetween(200L, (1L << 20) / size);
        assertThat(page.more()).isTrue();
        while (page.more()) {
            page = get(store.readQueue(SHARD, "a", page.upTo() + 1, 1, 1, new Priorities(1, 3)));
        }
        assertThat(page.entries()).extracting(Entry::sequence).containsExactly((long) count);
        assertThat(recorder.receivedBytes() - receivedBefore).isLessThan(size);
    }

    @Test
    void savePointMayBeLargerThanLuasStack() {
        int count = 10_000;
        get(store.save(
                SHARD,
                emptySave(OWNER, -1, 1)
                        .sessions(IntStream.range(0, count)
                                .mapToObj(i -> session("client-" + i, i))
                                .toList())
                        .sources(IntStream.range(0, 4096)
                                .mapToObj(i -> new SourcePosition(i, i, 1))
                                .toList())
                        .queued(List.of(entries("a", count)))
                        .wills(IntStream.range(0, count)
                                .mapToObj(i -> will("client-" + i, i))
                                .toList())
                        .build()));
        assertThat(get(store.claim(SHARD, new Claimant(OWNER))).sources()).hasSize(4096);
        get(store.save(
                SHARD,
                emptySave(OWNER, 1, 2)
                        .cleared(IntStream.range(0, count)
                                .mapToObj(i -> "client-" + i)
                                .toList())
                        .removed(LongStream.rangeClosed(1, count)
                                .filter(i -> i % 2 == 0)
                                .mapToObj(i -> new SequenceKey("a", i))
                                .toList())
                        .build()));
        List<SessionPage> pages = pages();
        assertThat(pages).allMatch(page -> page.sessions().isEmpty());
        assertThat(pages.stream().mapToInt(page -> page.wills().size()).sum()).isEqualTo(count);
        QueuePage queue = get(store.readQueue(SHARD, "a", 1, 3, PAGE_BYTES));
        assertThat(queue.entries()).extracting(Entry::sequence).containsExactly(1L, 3L, 5L);
    }

    @Test
    void savePointOfMoreThanRedisTakesIsRefused() {
        get(store.save(SHARD, withQueue(-1, 1)));
        Queued one = queued(1);
        List<SequencedEntry> tooMany = LongStream.range(0, SaveCall.MAX_PARTS / 2)
                .mapToObj(sequence -> new SequencedEntry("a", sequence, one))
                .toList();
        assertThat(catchThrowable(() -> get(
                        store.save(SHARD, emptySave(OWNER, 1, 2).queued(tooMany).build()))))
                .hasRootCauseMessage("a save point of 1000031 keys and arguments; Redis takes 1000000");
    }

    @Test
    void pagesOfSessionsAreBoundedInBytes() {
        byte[] payload = new byte[20_000];
        get(store.save(
                SHARD,
                emptySave(OWNER, -1, 1)
                        .sessions(IntStream.range(0, 5000)
                                .mapToObj(i -> session("client-with-a-rather-long-identifier-" + i, i))
                                .toList())
                        .wills(IntStream.range(0, 200)
                                .mapToObj(i -> new SavePoint.ClientWill(
                                        "c" + i, i, new Will(withPayload(message(i), payload), 0, -1), false))
                                .toList())
                        .build()));
        List<SessionPage> pages = pages();
        assertThat(pages).allMatch(page -> page.sessions().size() <= 2100);
        assertThat(pages).allMatch(page -> page.wills().size() <= PAGE_BYTES / payload.length + 60);
        assertThat(pages.stream().mapToInt(page -> page.sessions().size()).sum())
                .isEqualTo(5000);
    }

    @Test
    void cursorOfAnotherProcessIsRefused() {
        get(store.save(
                SHARD,
                emptySave(OWNER, -1, 1)
                        .sessions(IntStream.range(0, 5000)
                                .mapToObj(i -> session("c" + i, i))
                                .toList())
                        .build()));
        String cursor = get(store.readSessions(SHARD, null)).cursor();
        assertThat(cursor).isNotNull();
        String foreign = cursor.substring(0, cursor.lastIndexOf('/') + 1) + "0123456789abcdef0123456789abcdef01234567";
        assertFails(store.readSessions(SHARD, foreign), RedisStoreException.class);
        assertThat(recorder.failures()).containsExactly(Failure.UNAVAILABLE);
    }

    @Test
    void fullRedisTakesOnlyWhatFreesSomething() {
        get(store.save(SHARD, withQueue(-1, 1, entry("a", 1))));
        limitMemory("1");
        try {
            assertFails(
                    store.save(
                            SHARD,
                            emptySave(OWNER, 1, 2)
                                    .sessions(List.of(session("b", 1)))
                                    .build()),
                    RedisStoreException.class);
            assertThat(recorder.failures()).containsExactly(Failure.OUT_OF_MEMORY);
            assertThat(get(store.claim(SHARD, new Claimant(OWNER + 1))).applied())
                    .isEqualTo(1);
            assertThat(sequences("a")).containsExactly(1L);
            get(store.save(
                    SHARD,
                    emptySave(OWNER + 1, 1, 2)
                            .removed(List.of(new SequenceKey("a", 1)))
                            .sessions(List.of(session("a", 1)))
                            .build()));
        } finally {
            limitMemory("0");
        }
        assertThat(pages().getFirst().sessions()).hasSize(1);
    }

    @Test
    void scriptsUseOnlyTheKeysThatTheyDeclare() {
        get(store.save(
                SHARD,
                emptySave(OWNER, -1, 1)
                        .sessions(List.of(session("a", 1)))
                        .queued(List.of(entry("a", 1)))
                        .wills(List.of(will("a", 1)))
                        .build()));
        String prefix = "tributary:{" + SlotTags.of(4).get(SHARD) + "}:";
        assertThat(cluster.connection().sync().keys("*"))
                .extracting(String::new)
                .containsExactlyInAnyOrder(prefix + "shard", prefix + "sessions", prefix + "wills", prefix + "queue:a");
    }

    @Test
    void callsAreCountedWithTheirSizes() {
        get(store.save(SHARD, withQueue(-1, 1, new SequencedEntry("a", 1, large(1, 1000)))));
        assertThat(recorder.sentBytes()).isGreaterThan(1000);
        assertThat(sequences("a")).containsExactly(1L);
        assertThat(recorder.receivedBytes()).isGreaterThan(1000);
        assertThat(recorder.calls()).isEqualTo(3);
    }

    @Test
    void sessionsWillsAndEntriesAreInTheFormatThatAllRead() {
        int next = RecordFormat.NEWEST + 1;
        RecordFormat format = new RecordFormat(next);
        format.raise(next);
        try (RedisShardStore newer = new RedisShardStore(cluster, 4, format, recorder)) {
            get(newer.save(
                    SHARD,
                    emptySave(OWNER, -1, 1)
                            .sessions(List.of(session("a", 1)))
                            .queued(List.of(entry("a", 1)))
                            .build()));
            assertThatThrownBy(() -> get(store.readQueue(SHARD, "a", 0, 1, PAGE_BYTES)))
                    .rootCause()
                    .hasMessage(
                            "the record has format " + next + ", and this version reads 1 to " + RecordFormat.NEWEST);
            assertThatThrownBy(() -> get(store.readSessions(SHARD, null)))
                    .rootCause()
                    .hasMessage(
                            "the record has format " + next + ", and this version reads 1 to " + RecordFormat.NEWEST);
        }
    }

    /** Operators look at them, and a broker of the next version finds its state by them: docs/redis-layout.md. */
    @Test
    void keysAndFieldsHaveTheNamesOfTheLayout() {
        get(store.claim(SHARD, new Claimant(11, "log-a", false, new Reused(40, 60))));
        get(store.save(
                SHARD,
                emptySave(11, -1, 1)
                        .sources(List.of(new SourcePosition(3, 7, 0)))
                        .sessions(List.of(session("a", 1)))
                        .queued(List.of(entry("a", 1)))
                        .wills(List.of(will("a", 1)))
                        .snapshotMillis(77)
                        .build()));
        RedisAdvancedClusterCommands<byte[], byte[]> redis =
                cluster.connection().sync();
        String prefix = "tributary:{" + SlotTags.of(4).get(SHARD) + "}:";
        assertThat(redis.keys("*").stream().map(ScriptsTest::text))
                .containsExactlyInAnyOrder(prefix + "shard", prefix + "sessions", prefix + "wills", prefix + "queue:a");
        assertThat(redis.hkeys(bytes(prefix + "shard")).stream().map(ScriptsTest::text))
                .containsExactlyInAnyOrder(
                        "epoch",
                        "applied",
                        "folded-owner",
                        "leader-epoch",
                        "snapshot-at",
                        "log",
                        "reused-from",
                        "reused-to",
                        "layout",
                        "source:3");
        assertThat(redis.hkeys(bytes(prefix + "sessions")).stream().map(ScriptsTest::text))
                .containsExactly("a");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    private static void limitMemory(String bytes) {
        cluster.connection().sync().upstream().commands().configSet("maxmemory", bytes);
    }

    private long run(SavePoint savePoint) {
        SaveCall call = new SaveCall(
                new ShardKeys(SlotTags.of(4).get(SHARD), 0),
                savePoint,
                RedisConfig.INLINE_BYTES,
                RecordFormat.NEWEST,
                0);
        Long result = cluster.connection()
                .sync()
                .eval(RedisScript.SAVE.text(), ScriptOutputType.INTEGER, call.keys(), call.arguments());
        return result;
    }

    private static void assertFenced(CompletionStage<?> stage, String message) {
        Throwable failure = catchThrowable(() -> get(stage));
        assertThat(failure).hasRootCauseMessage(message);
        assertThat(failure).hasRootCauseInstanceOf(FencedException.class);
    }

    private List<Long> sequences(String clientId) {
        return get(store.readQueue(SHARD, clientId, 0, 100, PAGE_BYTES)).entries().stream()
                .map(Entry::sequence)
                .toList();
    }

    private List<SessionPage> pages() {
        List<SessionPage> pages = new ArrayList<>();
        @Nullable String cursor = null;
        do {
            pages.add(get(store.readSessions(SHARD, cursor)));
            cursor = pages.getLast().cursor();
        } while (cursor != null);
        return pages;
    }

    private static SavePoint withQueue(long expectedApplied, long applied, SequencedEntry... queued) {
        return emptySave(OWNER, expectedApplied, applied)
                .queued(List.of(queued))
                .build();
    }

    private static SequencedEntry entry(String clientId, long sequence) {
        return new SequencedEntry(clientId, sequence, queued(sequence));
    }

    private static SequencedEntry[] entries(String clientId, int count) {
        return LongStream.rangeClosed(1, count)
                .mapToObj(sequence -> entry(clientId, sequence))
                .toArray(SequencedEntry[]::new);
    }

    private static Queued large(long number, int size) {
        return new Queued(withPayload(message(number), new byte[size]), QoS.AT_LEAST_ONCE, false, List.of(), null);
    }

    private static Message withPayload(Message message, byte[] payload) {
        return new Message(
                message.topic(),
                payload,
                message.qos(),
                message.retain(),
                message.properties(),
                message.expiresAtMillis(),
                message.publisher(),
                message.priority());
    }
}
