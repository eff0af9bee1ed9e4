package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.stall;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link ShardLog} does. An adapter supplies logs of {@link #SHARDS} shards, all owned by this node. */
public abstract class ShardLogContract {
    /** How many shards the log has. */
    protected static final int SHARDS = 4;

    /** How many bytes of appends may wait before more are refused. */
    protected static final int BUFFER_BYTES = 256 * 1024;

    private static final int MANY = 20_000;

    private final RecordingReader reader = new RecordingReader();

    @SuppressWarnings("NullAway.Init")
    private ShardLog log;

    /** Opens the log, which is empty the first time in a test and later has what it had when it was closed. */
    protected abstract ShardLog open();

    @BeforeEach
    void openLog() {
        log = open();
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void shardsAreNumberedFromZeroWhenAssigned() {
        start(reader);
        assertThat(log.shardCount()).isEqualTo(SHARDS);
        assertThat(reader.assigned()).containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @Test
    void offsetsGrowWhenRecordsAreAppended() {
        List<Long> offsets = appendAll(0, texts("r", 1000));
        assertThat(offsets).isSorted().doesNotHaveDuplicates().allMatch(offset -> offset >= 0);
    }

    @Test
    void recordsComeInOrderWhenReadFromTheBeginning() {
        List<Long> offsets = appendAll(1, texts("r", 1000));
        start(reader);
        log.readFrom(1, 0);
        until(() -> reader.count(1) == 1000);
        assertThat(reader.texts(1)).isEqualTo(texts("r", 1000));
        assertThat(reader.records(1)).extracting(LogRecord::offset).isEqualTo(offsets);
        assertThat(reader.records(1)).isSortedAccordingTo(Comparator.comparingLong(LogRecord::timeMillis));
    }

    @Test
    void recordsComeFromTheOffsetWhenReadFromTheMiddle() {
        List<Long> offsets = appendAll(0, texts("r", 1000));
        start(reader);
        log.readFrom(0, offsets.get(700));
        until(() -> reader.count(0) == 300);
        assertThat(reader.texts(0)).isEqualTo(texts("r", 1000).subList(700, 1000));
    }

    @Test
    void recordsFollowWhenAppendedAfterReadingBegan() {
        start(reader);
        log.readFrom(0, 0);
        appendAll(0, texts("a", 10));
        until(() -> reader.count(0) == 10);
        appendAll(0, texts("b", 10));
        until(() -> reader.count(0) == 20);
        List<String> expected = new ArrayList<>(texts("a", 10));
        expected.addAll(texts("b", 10));
        assertThat(reader.texts(0)).isEqualTo(expected);
    }

    @Test
    void neitherGapNorRepeatWhenAppendingWhileCatchingUp() throws InterruptedException {
        appendAll(2, texts("r", MANY));
        start(reader);
        Thread appender = Thread.ofPlatform().start(() -> appendAll(2, texts("s", MANY)));
        log.readFrom(2, 0);
        appender.join();
        until(() -> reader.count(2) >= 2 * MANY);
        List<String> expected = new ArrayList<>(texts("r", MANY));
        expected.addAll(texts("s", MANY));
        assertThat(reader.texts(2)).isEqualTo(expected);
    }

    @Test
    void nothingComesWhenNobodyAskedForIt() {
        start(reader);
        log.readFrom(1, 0);
        appendAll(0, texts("r", 100));
        appendAll(1, texts("r", 100));
        until(() -> reader.count(1) == 100);
        assertThat(reader.count(0)).isZero();
    }

    @Test
    void nothingComesWhenNotStarted() {
        log.readFrom(0, 0);
        appendAll(0, texts("r", 100));
        assertThat(reader.count(0)).isZero();
    }

    @Test
    void atMostOneMoreBatchComesWhenPaused() {
        appendAll(0, texts("r", 1000));
        start(reader);
        log.readFrom(0, 0);
        until(() -> reader.count(0) == 1000);
        log.pause(0);
        int batches = reader.batches(0).size();
        for (int i = 0; i < 20; i++) {
            appendAll(0, texts("s", 10));
        }
        assertThat(reader.batches(0)).hasSizeLessThanOrEqualTo(batches + 1);
    }

    @Test
    void nothingMoreComesWhenTheReaderPausesWithinABatch() {
        appendAll(0, texts("r", 10));
        RecordingReader pausing = new RecordingReader() {
            @Override
            public void onRecords(int shard, long from, List<LogRecord> records) {
                super.onRecords(shard, from, records);
                log.pause(shard);
            }
        };
        start(pausing);
        log.readFrom(0, 0);
        until(() -> !pausing.batches(0).isEmpty());
        appendAll(0, texts("s", 100));
        appendAll(0, texts("t", 100));
        assertThat(pausing.batches(0)).hasSize(1);
    }

    @Test
    void nothingIsMissingWhenReadingGoesOnAfterPauses() {
        AtomicInteger pauses = new AtomicInteger();
        RecordingReader pausing = new RecordingReader() {
            @Override
            public void onRecords(int shard, long from, List<LogRecord> records) {
                super.onRecords(shard, from, records);
                log.pause(shard);
                pauses.incrementAndGet();
                log.readFrom(shard, records.getLast().offset() + 1);
            }
        };
        start(pausing);
        log.readFrom(3, 0);
        appendAll(3, texts("r", MANY));
        until(() -> pausing.count(3) >= MANY);
        assertThat(pausing.texts(3)).isEqualTo(texts("r", MANY));
        assertThat(pauses).hasPositiveValue();
    }

    @Test
    void recordsComeAgainWhenReadFromAnEarlierOffset() {
        List<Long> offsets = appendAll(0, texts("r", 100));
        start(reader);
        log.readFrom(0, 0);
        until(() -> reader.count(0) == 100);
        log.readFrom(0, offsets.get(90));
        until(() -> reader.count(0) == 110);
        assertThat(reader.texts(0).subList(100, 110)).isEqualTo(texts("r", 100).subList(90, 100));
    }

    @Test
    void laterRecordsAloneComeWhenReadFromAnOffsetThatIsYetToCome() {
        long last = appendAll(0, texts("r", 10)).getLast();
        start(reader);
        log.readFrom(0, last + 3);
        List<Long> offsets = appendAll(0, texts("s", 10));
        until(() -> !reader.records(0).isEmpty() && reader.records(0).getLast().offset() == offsets.getLast());
        assertThat(reader.records(0)).extracting(LogRecord::offset).allMatch(offset -> offset >= last + 3);
    }

    @Test
    void shardsKeepApartWhenAppendingToSeveral() {
        start(reader);
        for (int shard = 0; shard < SHARDS; shard++) {
            log.readFrom(shard, 0);
            appendAll(shard, texts("shard-" + shard + "-", 100));
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            int each = shard;
            until(() -> reader.count(each) == 100);
            assertThat(reader.texts(shard)).isEqualTo(texts("shard-" + shard + "-", 100));
        }
    }

    @Test
    void orderOfEachThreadIsKeptWhenSeveralAppend() throws InterruptedException {
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(thread -> Thread.ofPlatform().start(() -> appendAll(0, texts("t" + thread + "-", 2000))))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        start(reader);
        log.readFrom(0, 0);
        until(() -> reader.count(0) >= 8000);
        for (int thread = 0; thread < 4; thread++) {
            String prefix = "t" + thread + "-";
            assertThat(reader.texts(0).stream().filter(text -> text.startsWith(prefix)))
                    .isEqualTo(texts(prefix, 2000));
        }
    }

    @Test
    void callbacksComeInTheOrderOfOffsetsWhenSeveralAppend() throws InterruptedException {
        List<Long> called = new CopyOnWriteArrayList<>();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(thread -> Thread.ofPlatform().start(() -> {
                    for (String text : texts("r", 500)) {
                        append(1, text, called);
                    }
                }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        until(() -> called.size() == 2000);
        assertThat(called).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void recordsSurviveWhenEmptyOrLarge() {
        start(reader);
        log.readFrom(0, 0);
        String large = "x".repeat(BUFFER_BYTES / 2);
        appendAll(0, List.of("", large, ""));
        until(() -> reader.count(0) == 3);
        assertThat(reader.texts(0)).containsExactly("", large, "");
    }

    @Test
    void whatIsNotTruncatedStaysWhenTheRestGoes() {
        List<Long> offsets = appendAll(0, texts("r", MANY));
        log.truncate(0, offsets.get(MANY - 10));
        appendAll(0, texts("s", 10));
        start(reader);
        log.readFrom(0, offsets.get(MANY - 10));
        until(() -> reader.count(0) == 20);
        List<String> expected = new ArrayList<>(texts("r", MANY).subList(MANY - 10, MANY));
        expected.addAll(texts("s", 10));
        assertThat(reader.texts(0)).isEqualTo(expected);
    }

    @Test
    void offsetsDoNotGoBackWhenEverythingIsTruncatedAndTheLogReopened() {
        long last = appendAll(0, texts("r", MANY)).getLast();
        log.truncate(0, last + 1);
        reopen();
        assertThat(appendAll(0, texts("s", 1)).getFirst()).isGreaterThan(last);
    }

    @Test
    void readingTakesNoHarmWhenTruncatedMeanwhile() {
        List<Long> offsets = appendAll(0, texts("r", MANY));
        start(reader);
        log.readFrom(0, 0);
        log.truncate(0, offsets.get(MANY / 2));
        until(() -> reader.count(0) > 0 && reader.records(0).getLast().offset() == offsets.getLast());
        List<String> texts = reader.texts(0);
        assertThat(texts).endsWith(texts("r", MANY).subList(MANY / 2, MANY).toArray(new String[0]));
        assertThat(reader.records(0)).extracting(LogRecord::offset).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void appendIsRefusedWhenFullAndAcceptedWhenThereIsRoomAgain() {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch stalled = new CountDownLatch(1);
        assertThat(log.append(0, new byte[1], (offset, failure) -> {
                    reached.countDown();
                    stall(stalled);
                }))
                .isTrue();
        // What is appended before this may be committed, and released, together with it.
        until(() -> reached.getCount() == 0);
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        AtomicBoolean refusedCalledBack = new AtomicBoolean();
        byte[] value = new byte[10_000];
        int accepted = 0;
        while (log.append(0, value, (offset, failure) -> {})) {
            accepted++;
            assertThat(accepted).isLessThan(10_000);
        }
        assertThat(log.append(0, value, (offset, failure) -> refusedCalledBack.set(true)))
                .isFalse();
        log.onRoom(() -> room.complete(true));
        assertThat(room).isNotDone();
        stalled.countDown();
        assertThat(get(room)).isTrue();
        appendAll(0, texts("r", 1));
        assertThat(refusedCalledBack).isFalse();
    }

    @Test
    void onRoomRunsAtOnceWhenThereIsRoom() {
        AtomicBoolean ran = new AtomicBoolean();
        log.onRoom(() -> ran.set(true));
        assertThat(ran).isTrue();
    }

    @Test
    void acceptedAppendsAreCompletedWhenClosed() {
        List<Long> called = new CopyOnWriteArrayList<>();
        for (String text : texts("r", 1000)) {
            append(0, text, called);
        }
        log.close();
        assertThat(called).hasSize(1000).doesNotContain(-1L);
    }

    @Test
    void appendFailsWhenClosed() {
        log.close();
        CompletableFuture<Throwable> failed = new CompletableFuture<>();
        log.append(0, new byte[1], (offset, failure) -> {
            assertThat(offset).isEqualTo(-1);
            failed.complete(failure);
        });
        assertThat(get(failed)).isNotNull();
    }

    @Test
    void recordsAreThereWhenReopened() {
        List<Long> offsets = appendAll(0, texts("r", 100));
        reopen();
        long next = appendAll(0, texts("s", 1)).getFirst();
        start(reader);
        log.readFrom(0, 0);
        until(() -> reader.count(0) == 101);
        assertThat(next).isGreaterThan(offsets.getLast());
        assertThat(reader.texts(0).subList(0, 100)).isEqualTo(texts("r", 100));
    }

    /** Texts that differ: the prefix with a number. */
    protected static List<String> texts(String prefix, int count) {
        return LongStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    /** The log under test. */
    protected ShardLog log() {
        return log;
    }

    /** Appends all and waits for them; gives their offsets. */
    protected List<Long> appendAll(int shard, List<String> texts) {
        List<CompletableFuture<Long>> appended =
                texts.stream().map(text -> append(shard, text)).toList();
        return appended.stream().map(Waiting::get).toList();
    }

    /** Begins to assign shards to the reader and waits until all are. */
    protected void start(RecordingReader to) {
        log.start(to);
        until(() -> to.assigned().size() == SHARDS);
    }

    private void reopen() {
        log.close();
        log = open();
    }

    private CompletableFuture<Long> append(int shard, String text) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        while (!log.append(shard, value, (offset, failure) -> {
            if (failure == null) {
                result.complete(offset);
            } else {
                result.completeExceptionally(failure);
            }
        })) {
            awaitRoom();
        }
        return result;
    }

    private void append(int shard, String text, List<Long> called) {
        while (!log.append(shard, text.getBytes(StandardCharsets.UTF_8), (offset, failure) -> called.add(offset))) {
            awaitRoom();
        }
    }

    private void awaitRoom() {
        CompletableFuture<Boolean> room = new CompletableFuture<>();
        log.onRoom(() -> room.complete(true));
        assertThat(get(room)).isTrue();
    }
}
