package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every {@link AppTopics} does. */
public abstract class AppTopicsContract {
    private static final AppTopic TOPIC = new AppTopic("erp", false);
    private static final AppTopic NEVER_THERE = new AppTopic("never-there", false);
    private static final int ALL = Integer.MAX_VALUE;

    @SuppressWarnings("NullAway.Init")
    private AppTopics topics;

    /**
     * Opens the topics; there are none the first time in a test, and later those that were there when it was closed.
     */
    protected abstract AppTopics open();

    @BeforeEach
    void openTopics() {
        topics = open();
        assertThat(get(topics.create(TOPIC)).end()).isZero();
    }

    @AfterEach
    void closeTopics() {
        topics.close();
    }

    /** What is tested. */
    protected final AppTopics topics() {
        return topics;
    }

    @Test
    void topicIsEmptyWhenCreated() {
        assertThat(end(TOPIC)).isZero();
        assertThat(get(topics.find(NEVER_THERE))).isNull();
    }

    @Test
    void manyTopicsAreFoundAsOneIs() {
        AppTopic other = new AppTopic("other", false);
        AppTopic small = new AppTopic("small", true);
        get(topics.create(other));
        get(topics.create(small));
        appendAll(TOPIC, 3);
        Map<AppTopic, CompletionStage<AppTopics.@Nullable Found>> found =
                topics.findAll(List.of(TOPIC, NEVER_THERE, other, small));
        assertThat(found).hasSize(4);
        found.forEach((topic, answer) -> assertThat(get(answer)).isEqualTo(get(topics.find(topic))));
        assertThat(found.values().stream().filter(answer -> get(answer) == null))
                .hasSize(1);
    }

    @Test
    void recordsStayAndTheEndIsToldWhenATopicIsCreatedAgain() {
        List<Long> positions = appendAll(TOPIC, 3);
        assertThat(get(topics.create(TOPIC)).end()).isEqualTo(positions.getLast() + 1);
        assertThat(read(TOPIC, 0, 3)).hasSize(3);
    }

    @Test
    void recordsComeInOrderWhenRead() {
        List<Long> positions = appendAll(TOPIC, 100);
        List<AppRecord> records = read(TOPIC, 0, 100);
        assertThat(positions).isSorted().doesNotHaveDuplicates();
        assertThat(records).extracting(AppRecord::position).isEqualTo(positions);
        assertThat(records).extracting(AppRecord::message).isEqualTo(messages(100));
        assertThat(records).isSortedAccordingTo(Comparator.comparingLong(AppRecord::timeMillis));
        assertThat(end(TOPIC)).isGreaterThan(positions.getLast());
    }

    @Test
    void recipientAndSourceComeBackWhenRead() {
        Source source = new Source(3, 1L << 40, 2);
        Recipient recipient =
                new Recipient("erp", 1L << 41, QoS.EXACTLY_ONCE, true, List.of(7, 8), null, ClientKind.APPLICATION);
        CompletableFuture<Long> first = new CompletableFuture<>();
        assertThat(topics.append(TOPIC, message(1), recipient, source, (position, failure) -> first.complete(position)))
                .isTrue();
        appendAll(TOPIC, 1);
        List<AppRecord> records = read(TOPIC, 0, 2);
        assertThat(records).extracting(AppRecord::source).containsExactly(source, null);
        assertThat(records).extracting(AppRecord::recipient).containsExactly(recipient, recipientOf(TOPIC));
        assertThat(records.getFirst().position()).isEqualTo(get(first));
    }

    @Test
    void readingBeginsAtThePositionAndStopsWhenThereAreEnoughRecords() {
        List<Long> positions = appendAll(TOPIC, 10);
        Page page = get(topics.read(TOPIC, null, positions.get(2), 3, ALL));
        assertThat(page.records()).hasSizeBetween(1, 3);
        assertThat(page.records().getFirst().position()).isEqualTo(positions.get(2));
        assertThat(page.from()).isEqualTo(positions.get(2));
        assertThat(page.next()).isEqualTo(page.records().getLast().position() + 1);
    }

    @Test
    void readingStopsWhenThereAreEnoughBytes() {
        appendAll(TOPIC, 10);
        int each = message(0).sizeBytes();
        assertThat(get(topics.read(TOPIC, null, 0, ALL, 2 * each)).records()).hasSizeBetween(1, 2);
        assertThat(get(topics.read(TOPIC, null, 0, ALL, 1)).records()).hasSize(1);
        assertThat(get(topics.read(TOPIC, null, 0, 1, ALL)).records()).hasSize(1);
    }

    @Test
    void readWaitsForTheNextWhenThereIsNone() {
        appendAll(TOPIC, 3);
        read(TOPIC, 0, 3);
        CompletableFuture<Page> waiting = topics.read(TOPIC, null, end(TOPIC), ALL, ALL);
        assertThat(waiting).isNotDone();
        long appended = appendAll(TOPIC, 1).getFirst();
        assertThat(get(waiting).records()).extracting(AppRecord::position).containsExactly(appended);
    }

    @Test
    void readFailsWhenAnotherComes() {
        CompletableFuture<Page> first = topics.read(TOPIC, null, 0, ALL, ALL);
        CompletableFuture<Page> second = topics.read(TOPIC, null, 0, ALL, ALL);
        assertFails(first, RuntimeException.class);
        appendAll(TOPIC, 1);
        assertThat(get(second).records()).hasSize(1);
    }

    @Test
    void readingGoesOnWhenAReadWasCancelled() {
        CompletableFuture<Page> cancelled = topics.read(TOPIC, null, 0, ALL, ALL);
        cancelled.cancel(false);
        appendAll(TOPIC, 2);
        assertThat(read(TOPIC, 0, 2)).hasSize(2);
    }

    @Test
    void waitingReadFailsAndTheNextWorksWhenTheTopicIsReleased() {
        CompletableFuture<Page> waiting = topics.read(TOPIC, null, 0, ALL, ALL);
        topics.release(TOPIC);
        topics.release(NEVER_THERE);
        assertFails(waiting, RuntimeException.class);
        appendAll(TOPIC, 2);
        assertThat(read(TOPIC, 0, 2)).hasSize(2);
    }

    @Test
    void everythingIsReadWhenReadInPagesWhileAppending() {
        CompletableFuture<List<Long>> appended = CompletableFuture.supplyAsync(() -> appendAll(TOPIC, 5000));
        List<AppRecord> records = read(TOPIC, 0, 5000);
        assertThat(records).extracting(AppRecord::position).isEqualTo(get(appended));
        assertThat(records).extracting(AppRecord::message).isEqualTo(messages(5000));
    }

    @Test
    void orderOfEachThreadIsKeptWhenSeveralAppend() throws InterruptedException {
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(thread -> Thread.ofPlatform().start(() -> appendFrom(thread)))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        List<AppRecord> records = read(TOPIC, 0, 2000);
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
        AppTopic shorter = new AppTopic("er", false);
        AppTopic strange = new AppTopic("er.p_ö/+#", false);
        get(topics.create(shorter));
        get(topics.create(strange));
        appendAll(TOPIC, 3);
        appendAll(shorter, 2);
        assertThat(end(shorter)).isEqualTo(2);
        assertThat(end(strange)).isZero();
        appendAll(strange, 1);
        assertThat(read(strange, 0, 1)).hasSize(1);
        until(() -> get(topics.deletable()).containsAll(List.of(TOPIC, shorter, strange)));
    }

    @Test
    void recordsGoAndPositionsBeginAnewWhenTheTopicIsDeleted() {
        appendAll(TOPIC, 10);
        get(topics.delete(TOPIC));
        get(topics.delete(NEVER_THERE));
        until(() -> !get(topics.deletable()).contains(TOPIC));
        assertThat(get(topics.create(TOPIC)).end()).isZero();
        assertThat(end(TOPIC)).isZero();
        assertThat(appendAll(TOPIC, 2)).containsExactly(0L, 1L);
        assertThat(read(TOPIC, 0, 2)).extracting(AppRecord::message).isEqualTo(messages(2));
    }

    @Test
    void topicIsThereWhenItIsCreatedWhileItIsBeingDeleted() {
        appendAll(TOPIC, 3);
        topics.delete(TOPIC);
        assertThat(get(topics.create(TOPIC)).end()).isZero();
        assertThat(appendAll(TOPIC, 1)).containsExactly(0L);
        assertThat(read(TOPIC, 0, 1)).hasSize(1);
    }

    @Test
    void topicIsAnotherOneWhenItIsMadeAnew() {
        String before = get(topics.create(TOPIC)).id();
        appendAll(TOPIC, 5);
        assertThat(get(topics.find(TOPIC))).isEqualTo(new AppTopics.Found(before, 5));
        assertThat(get(topics.read(TOPIC, before, 0, ALL, ALL)).records()).isNotEmpty();
        get(topics.delete(TOPIC));
        until(() -> get(topics.find(TOPIC)) == null);
        AppTopics.Found after = get(topics.create(TOPIC));
        assertThat(after.id()).isNotEqualTo(before);
        appendAll(TOPIC, 8);
        topics.acknowledged(TOPIC, before, 5);
        assertFails(topics.read(TOPIC, before, 5, ALL, ALL), RuntimeException.class);
        assertThat(get(topics.read(TOPIC, after.id(), 0, ALL, ALL)).from()).isZero();
    }

    @Test
    void appendIsToldThatNothingHappenedWhenThereIsNoTopic() {
        assertThat(appendAll(NEVER_THERE, 3)).containsExactly(-1L, -1L, -1L);
    }

    @Test
    void appendsToOthersGoOnWhenOneTopicIsGone() {
        appendAll(TOPIC, 1);
        AppTopic other = new AppTopic("other", false);
        get(topics.create(other));
        get(topics.delete(TOPIC));
        CompletableFuture<Long> lost = append(TOPIC, message(1));
        assertThat(appendAll(other, 10)).hasSize(10).doesNotContain(-1L);
        assertThat(get(lost)).isEqualTo(-1);
    }

    @Test
    void readFailsWhenThereIsNoTopic() {
        assertFails(topics.read(NEVER_THERE, null, 0, ALL, ALL), RuntimeException.class);
    }

    /** It has lost its end: whoever waits for the next message there would miss those that come before it. */
    @Test
    void readFailsWhenTheTopicEndsBefore() {
        long end = appendAll(TOPIC, 2).getLast() + 1;
        assertFails(topics.read(TOPIC, null, end + 1, ALL, ALL), RuntimeException.class);
        CompletableFuture<Page> waiting = topics.read(TOPIC, null, end, ALL, ALL);
        appendAll(TOPIC, 1);
        assertThat(get(waiting).records()).hasSize(1);
    }

    @Test
    void waitingReadFailsWhenTheTopicIsDeleted() {
        CompletableFuture<Page> waiting = topics.read(TOPIC, null, 0, ALL, ALL);
        get(topics.delete(TOPIC));
        assertFails(waiting, RuntimeException.class);
    }

    @Test
    void readingBeginsBehindWhatIsDeletedWhenMessagesAreAcknowledged() {
        List<Long> positions = appendAll(TOPIC, 15_000);
        long acknowledged = positions.get(14_990);
        topics.acknowledged(TOPIC, null, acknowledged);
        until(() -> get(topics.read(TOPIC, null, 0, 1, ALL)).from() > 0);
        Page page = get(topics.read(TOPIC, null, 0, 1, ALL));
        assertThat(page.from()).isLessThanOrEqualTo(acknowledged);
        assertThat(page.records().getFirst().position()).isEqualTo(page.from());
        assertThat(read(TOPIC, acknowledged, 10))
                .extracting(AppRecord::position)
                .isEqualTo(positions.subList(14_990, 15_000));
    }

    @Test
    void positionsDoNotGoBackWhenEverythingIsAcknowledgedAndTheTopicsReopened() {
        appendAll(TOPIC, 15_000);
        long end = end(TOPIC);
        topics.acknowledged(TOPIC, null, end);
        reopen();
        assertThat(get(topics.create(TOPIC)).end()).isEqualTo(end);
        assertThat(end(TOPIC)).isEqualTo(end);
        assertThat(appendAll(TOPIC, 1)).containsExactly(end);
        Page page = get(topics.read(TOPIC, null, end, ALL, ALL));
        assertThat(page.records()).hasSize(1);
    }

    @Test
    void recordsAreThereWhenReopened() {
        List<Long> positions = appendAll(TOPIC, 10);
        reopen();
        assertThat(read(TOPIC, 0, 10)).extracting(AppRecord::position).isEqualTo(positions);
    }

    @Test
    void clientsGetTheirOwnMessagesWhenTheyShareATopic() {
        List<AppTopic> sharing = IntStream.range(0, 5)
                .mapToObj(i -> new AppTopic("small-" + i, true))
                .toList();
        List<Long> ends =
                sharing.stream().map(topic -> get(topics.create(topic)).end()).toList();
        for (int round = 0; round < 20; round++) {
            for (AppTopic topic : sharing) {
                CompletableFuture<?> _ = append(topic, message(round));
            }
        }
        for (int i = 0; i < sharing.size(); i++) {
            List<AppRecord> records = read(sharing.get(i), ends.get(i), 20);
            assertThat(records).extracting(AppRecord::message).isEqualTo(messages(20));
            assertThat(records).extracting(AppRecord::recipient).containsOnly(recipientOf(sharing.get(i)));
            assertThat(records).isSortedAccordingTo(Comparator.comparingLong(AppRecord::position));
            assertThat(end(sharing.get(i))).isGreaterThan(records.getLast().position());
        }
    }

    @Test
    void acceptedAppendsAreCompletedWhenClosed() {
        List<CompletableFuture<Long>> appended =
                messages(500).stream().map(message -> append(TOPIC, message)).toList();
        topics.close();
        assertThat(appended)
                .allSatisfy(position -> assertThat(position).isCompletedWithValueMatching(value -> value >= 0));
    }

    @Test
    void everythingFailsWhenClosed() {
        CompletableFuture<Page> waiting = topics.read(TOPIC, null, 0, ALL, ALL);
        topics.close();
        assertFails(waiting, RuntimeException.class);
        assertFails(append(TOPIC, message(1)), RuntimeException.class);
        assertFails(topics.read(TOPIC, null, 0, ALL, ALL), RuntimeException.class);
        assertFails(topics.create(TOPIC), RuntimeException.class);
        assertFails(topics.delete(TOPIC), RuntimeException.class);
    }

    private void reopen() {
        topics.close();
        topics = open();
    }

    /** Appends messages 0 to count, waits, and gives their positions. */
    protected final List<Long> appendAll(AppTopic topic, int count) {
        List<CompletableFuture<Long>> appended =
                messages(count).stream().map(message -> append(topic, message)).toList();
        return appended.stream().map(Waiting::get).toList();
    }

    /** Appends a message as soon as there is room. */
    protected final CompletableFuture<Long> append(AppTopic topic, Message message) {
        return append(topic, message, null);
    }

    private CompletableFuture<Long> append(AppTopic topic, Message message, @Nullable Source source) {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        while (!topics.append(topic, message, recipientOf(topic), source, (position, failure) -> {
            if (failure == null) {
                appended.complete(position);
            } else {
                appended.completeExceptionally(failure);
            }
        })) {
            CountDownLatch room = new CountDownLatch(1);
            topics.onRoom(room::countDown);
            Waiting.stall(room);
        }
        return appended;
    }

    private void appendFrom(int thread) {
        List<CompletableFuture<Long>> appended = IntStream.range(0, 500)
                .mapToObj(i -> append(TOPIC, message(i), new Source(thread, i, 0)))
                .toList();
        appended.forEach(Waiting::get);
    }

    /** Where a topic ends, 0 when there is none. */
    protected final long end(AppTopic topic) {
        AppTopics.Found found = get(topics.find(topic));
        return found == null ? 0 : found.end();
    }

    /** Reads so many records, in as many pages as it takes. */
    protected final List<AppRecord> read(AppTopic topic, long from, int count) {
        List<AppRecord> records = new ArrayList<>();
        long next = from;
        while (records.size() < count) {
            Page page = get(topics.read(topic, null, next, 100, ALL));
            assertThat(page.next()).isGreaterThan(next);
            records.addAll(page.records());
            next = page.next();
        }
        return records;
    }

    /** How messages of these tests arrive. */
    protected static Recipient recipientOf(AppTopic topic) {
        return new Recipient(
                topic.clientId(),
                9,
                QoS.AT_LEAST_ONCE,
                false,
                List.of(),
                null,
                topic.shared() ? ClientKind.SMALL_APPLICATION : ClientKind.APPLICATION);
    }

    private static boolean isOf(int thread, @Nullable Source source) {
        return source != null && source.shard() == thread;
    }

    private static List<Message> messages(int count) {
        return LongStream.range(0, count).mapToObj(SavePoints::message).toList();
    }
}
