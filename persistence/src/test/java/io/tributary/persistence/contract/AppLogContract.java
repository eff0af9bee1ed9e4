package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppLog;
import io.tributary.persistence.app.AppLog.AppRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link AppLog} does. */
public abstract class AppLogContract {
    private static final String TOPIC = "erp";
    private static final int ALL = Integer.MAX_VALUE;

    @SuppressWarnings("NullAway.Init")
    private AppLog log;

    /** Opens the log, which is empty the first time in a test and later has what it had when it was closed. */
    protected abstract AppLog open();

    @BeforeEach
    void openLog() {
        log = open();
        get(log.create(TOPIC));
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void topicIsEmptyWhenCreated() {
        assertThat(get(log.endPosition(TOPIC))).isZero();
        assertThat(get(log.read(TOPIC, 0, ALL, ALL))).isEmpty();
    }

    @Test
    void recordsStayWhenATopicIsCreatedAgain() {
        appendAll(TOPIC, 3);
        get(log.create(TOPIC));
        assertThat(get(log.read(TOPIC, 0, ALL, ALL))).hasSize(3);
    }

    @Test
    void recordsComeInOrderWhenRead() {
        List<Long> positions = appendAll(TOPIC, 100);
        List<AppRecord> records = get(log.read(TOPIC, 0, ALL, ALL));
        assertThat(positions).isSorted().doesNotHaveDuplicates();
        assertThat(records).extracting(AppRecord::position).isEqualTo(positions);
        assertThat(records).extracting(AppRecord::message).isEqualTo(messages(100));
        assertThat(records).isSortedAccordingTo(Comparator.comparingLong(AppRecord::timeMillis));
        assertThat(get(log.endPosition(TOPIC))).isGreaterThan(positions.getLast());
    }

    @Test
    void sourceComesBackWhenARecordWasHandedOn() {
        Source source = new Source(3, 1L << 40, 2);
        get(log.append(TOPIC, message(1), source));
        get(log.append(TOPIC, message(2), null));
        assertThat(get(log.read(TOPIC, 0, ALL, ALL)))
                .extracting(AppRecord::source)
                .containsExactly(source, null);
    }

    @Test
    void readingStopsWhenThereAreEnoughRecords() {
        List<Long> positions = appendAll(TOPIC, 10);
        assertThat(positionsRead(positions.get(2), 3, ALL)).isEqualTo(positions.subList(2, 5));
    }

    @Test
    void readingStopsWhenThereAreEnoughBytes() {
        List<Long> positions = appendAll(TOPIC, 10);
        int each = message(0).sizeBytes();
        assertThat(positionsRead(0, ALL, 2 * each)).isEqualTo(positions.subList(0, 2));
        assertThat(positionsRead(0, ALL, 2 * each + 1)).isEqualTo(positions.subList(0, 3));
    }

    @Test
    void oneRecordComesWhenTheLimitsAreSmaller() {
        List<Long> positions = appendAll(TOPIC, 2);
        assertThat(positionsRead(0, 1, 1)).containsExactly(positions.getFirst());
    }

    @Test
    void nothingComesWhenReadFromTheEnd() {
        appendAll(TOPIC, 10);
        assertThat(positionsRead(get(log.endPosition(TOPIC)), ALL, ALL)).isEmpty();
    }

    @Test
    void everythingIsReadWhenReadInPagesWhileAppending() {
        CompletableFuture<List<Long>> appended = CompletableFuture.supplyAsync(() -> appendAll(TOPIC, 5000));
        List<AppRecord> read = new ArrayList<>();
        while (read.size() < 5000) {
            long from = read.isEmpty() ? 0 : read.getLast().position() + 1;
            read.addAll(get(log.read(TOPIC, from, 100, ALL)));
        }
        assertThat(read).extracting(AppRecord::position).isEqualTo(get(appended));
        assertThat(read).extracting(AppRecord::message).isEqualTo(messages(5000));
    }

    @Test
    void orderOfEachThreadIsKeptWhenSeveralAppend() throws InterruptedException {
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(thread -> Thread.ofPlatform().start(() -> appendFrom(thread)))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        List<AppRecord> records = get(log.read(TOPIC, 0, ALL, ALL));
        for (int thread = 0; thread < 4; thread++) {
            int each = thread;
            assertThat(records.stream().map(AppRecord::source).filter(source -> isOf(each, source)))
                    .isEqualTo(LongStream.range(0, 500)
                            .mapToObj(offset -> new Source(each, offset, 0))
                            .toList());
        }
    }

    @Test
    void topicsKeepApartWhenNamesAreAlike() {
        get(log.create("er"));
        get(log.create("erp2"));
        appendAll(TOPIC, 3);
        appendAll("er", 2);
        assertThat(get(log.read("er", 0, ALL, ALL))).hasSize(2);
        assertThat(get(log.read("erp2", 0, ALL, ALL))).isEmpty();
    }

    @Test
    void recordsGoWhenTheTopicIsDeleted() {
        appendAll(TOPIC, 10);
        get(log.delete(TOPIC));
        get(log.delete("never-there"));
        get(log.create(TOPIC));
        assertThat(get(log.read(TOPIC, 0, ALL, ALL))).isEmpty();
    }

    @Test
    void appendFailsWhenThereIsNoTopic() {
        assertFails(log.append("never-there", message(1), null), RuntimeException.class);
    }

    @Test
    void whatIsNotTruncatedStaysWhenTheRestGoes() {
        List<Long> positions = appendAll(TOPIC, 15_000);
        get(log.truncate(TOPIC, positions.get(14_990)));
        assertThat(positionsRead(positions.get(14_990), ALL, ALL)).isEqualTo(positions.subList(14_990, 15_000));
    }

    @Test
    void positionsDoNotGoBackWhenEverythingIsTruncatedAndTheLogReopened() {
        appendAll(TOPIC, 15_000);
        long end = get(log.endPosition(TOPIC));
        get(log.truncate(TOPIC, end));
        reopen();
        assertThat(get(log.endPosition(TOPIC))).isEqualTo(end);
        assertThat(get(log.append(TOPIC, message(1), null))).isGreaterThanOrEqualTo(end);
    }

    @Test
    void recordsAreThereWhenReopened() {
        List<Long> positions = appendAll(TOPIC, 10);
        reopen();
        assertThat(positionsRead(0, ALL, ALL)).isEqualTo(positions);
    }

    @Test
    void acceptedAppendsAreCompletedWhenClosed() {
        List<CompletionStage<Long>> appended = messages(500).stream()
                .map(message -> log.append(TOPIC, message, null))
                .toList();
        log.close();
        assertThat(appended)
                .allSatisfy(stage -> assertThat(stage.toCompletableFuture()).isCompleted());
    }

    @Test
    void appendFailsWhenClosed() {
        log.close();
        assertFails(log.append(TOPIC, message(1), null), RuntimeException.class);
    }

    private void reopen() {
        log.close();
        log = open();
    }

    private List<Long> appendAll(String topic, int count) {
        List<CompletionStage<Long>> appended = messages(count).stream()
                .map(message -> log.append(topic, message, null))
                .toList();
        return appended.stream().map(Waiting::get).toList();
    }

    private void appendFrom(int thread) {
        for (int i = 0; i < 500; i++) {
            get(log.append(TOPIC, message(i), new Source(thread, i, 0)));
        }
    }

    private List<Long> positionsRead(long from, int maxRecords, int maxBytes) {
        return get(log.read(TOPIC, from, maxRecords, maxBytes)).stream()
                .map(AppRecord::position)
                .toList();
    }

    private static boolean isOf(int thread, @Nullable Source source) {
        return source != null && source.shard() == thread;
    }

    private static List<Message> messages(int count) {
        return LongStream.range(0, count).mapToObj(SavePoints::message).toList();
    }
}
