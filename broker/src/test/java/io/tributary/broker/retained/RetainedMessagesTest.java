package io.tributary.broker.retained;

import static io.tributary.broker.fake.Messages.retained;
import static io.tributary.broker.fake.Messages.retainedUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.fake.Messages;
import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.retained.RetainedMessages.Page;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class RetainedMessagesTest {
    private InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    private long nowMillis = 1_000_000;
    private final RecordFormat format = new RecordFormat(2);
    private RetainedMessages retained = open(RetainedLimits.defaults());

    @BeforeEach
    void start() {
        retained.start().toCompletableFuture().join();
    }

    @Test // [MQTT-3.3.1-5]
    void keepsTheLastMessageOfATopic() {
        assertThat(store(retained("a", "1"))).isTrue();
        assertThat(store(retained("a", "2"))).isTrue();

        assertThat(payloads("a")).containsExactly("2");
        assertThat(retained.count()).isEqualTo(1);
    }

    @Test // [MQTT-3.3.1-6]
    void removesTheMessageWhenThePayloadIsEmpty() {
        store(retained("a", "1"));

        assertThat(store(retained("a", ""))).isTrue();

        assertThat(payloads("#")).isEmpty();
        assertThat(map.size()).isZero();
        assertThat(retained.count()).isZero();
        assertThat(retained.bytes()).isZero();
    }

    @Test
    void knowsWhetherAMessageIsStillTheRetainedOne() {
        Message message = retained("a", "1");
        map.hold();
        retained.store(message);
        assertThat(retained.isCurrent(message)).isTrue();
        map.release();
        assertThat(retained.isCurrent(message)).isTrue();

        store(retained("a", "2"));
        assertThat(retained.isCurrent(message)).isFalse();
        store(retained("a", ""));
        assertThat(retained.isCurrent(retained("a", "2"))).isFalse();
    }

    @Test
    void writesNothingWhenThereIsNothingToRemove() {
        assertThat(store(retained("a", ""))).isTrue();

        assertThat(map.written()).isEmpty();
    }

    @Test
    void survivesARestartWhole() {
        Message message = retainedUntil("a/b", "x", nowMillis + 5);
        store(message);

        restart();

        assertThat(match("a/+")).containsExactly(message);
        assertThat(retained.count()).isEqualTo(1);
        assertThat(retained.bytes()).isEqualTo(RetainedBudget.sizeOf(message));
    }

    @Test
    void doesNotStartWhenARecordCannotBeRead() {
        map.changeFromElsewhere("a", new byte[] {99});
        map = map.reopen();
        retained = open(RetainedLimits.defaults());

        assertThatThrownBy(() -> retained.start().toCompletableFuture().join())
                .hasCauseInstanceOf(UnreadableRecordException.class);
    }

    @Test
    void saysThatItIsTooOldWhenARecordIsOfANewerFormatUntilThatIsReplaced() {
        map.changeFromElsewhere("a", new byte[] {RecordFormat.NEWEST + 1});
        assertThat(format.unreadRecord()).isEqualTo("retained message of a");
        map.changeFromElsewhere("b", StateCodec.encodeMessage(retained("b", "1"), null, 1));
        assertThat(format.isTooOld()).isTrue();
        map.changeFromElsewhere("a", StateCodec.encodeMessage(retained("a", "1"), null, 1));
        assertThat(format.isTooOld()).isFalse();
        map.changeFromElsewhere("a", new byte[] {0});
        assertThat(format.isTooOld()).isFalse();
    }

    /** Shown to people the topics are the same. */
    @Test
    void isTooOldUntilEachRecordOfANewerFormatIsReplaced() {
        map.changeFromElsewhere("a\u0001", new byte[] {RecordFormat.NEWEST + 1});
        map.changeFromElsewhere("a\u0002", new byte[] {RecordFormat.NEWEST + 1});
        assertThat(format.unreadRecord()).doesNotContain("\u0001", "\u0002");
        map.changeFromElsewhere("a\u0001", null);
        assertThat(format.isTooOld()).isTrue();
        map.changeFromElsewhere("a\u0002", null);
        assertThat(format.isTooOld()).isFalse();
    }

    @Test
    void writesInTheFormatThatAllRead() {
        store(retained("a", "1"));
        format.raise(2);
        store(retained("b", "1"));
        assertThat(map.get("a")).startsWith(1);
        assertThat(map.get("b")).startsWith(2);
    }

    @Test
    void completesOnlyWhenTheMessageIsDurableButShowsItBefore() {
        map.hold();
        CompletableFuture<Boolean> stored = begin(retained("a", "1"));
        assertThat(stored).isNotDone();
        assertThat(payloads("a")).containsExactly("1");

        map.release();

        assertThat(stored).isCompletedWithValue(true);
        assertThat(payloads("a")).containsExactly("1");
    }

    @Test
    void keepsTwoWritesAtMostInAFloodOnOneTopic() {
        map.hold();
        CompletableFuture<Boolean> first = begin(retained("a", "first"));
        List<CompletableFuture<Boolean>> flood = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            flood.add(begin(retained("a", "m" + i)));
        }
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int number = i;
            CompletableFuture<?> _ = flood.get(i).thenRun(() -> order.add(number));
        }
        map.releaseOne();
        assertThat(first).isDone();
        assertThat(flood.getFirst()).isNotDone();
        assertThat(payloads("a")).containsExactly("m9999");
        map.release();

        assertThat(flood).allSatisfy(each -> assertThat(each).isCompletedWithValue(true));
        assertThat(order).as("as they are retained, so they are passed on").isSorted();
        assertThat(map.written()).hasSize(2);
        restart();
        assertThat(payloads("a")).containsExactly("m9999");
    }

    @Test
    void removesAtLastWhenARemovalIsTheLastOfAFlood() {
        map.hold();
        retained.store(retained("a", "1"));
        retained.store(retained("a", "2"));
        CompletableFuture<Boolean> removed = begin(retained("a", ""));
        assertThat(payloads("a")).isEmpty();
        map.release();

        assertThat(removed).isCompletedWithValue(true);
        assertThat(map.size()).isZero();
        assertThat(retained.count()).isZero();
    }

    @Test
    void failsWhenTheMapDoes() {
        store(retained("a", "kept"));
        map.failWith(new IllegalStateException("disk is gone"));

        assertThat(begin(retained("a", "lost"))).isCompletedExceptionally();
        assertThat(begin(retained("b", "lost"))).isCompletedExceptionally();
        assertThat(payloads("#")).containsExactly("kept");
        assertThat(retained.count()).isEqualTo(1);
    }

    @Test
    void mapThatFailsAtEachMessageIsNotLoggedAtEach() {
        map.failWith(new IllegalStateException("disk is gone"));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(RetainedMessages.class);
        logger.addAppender(log);
        try {
            for (int i = 0; i < 100; i++) {
                assertThat(begin(retained("a/" + i, "lost"))).isCompletedExceptionally();
            }
            assertThat(log.list).isNotEmpty().hasSizeLessThan(3);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void refusesOnlyNewTopicsAtTheLimitOfMessages() {
        retained = open(new RetainedLimits(2, 10_000));
        start();
        store(retained("a", "1"));
        store(retained("b", "1"));

        assertThat(store(retained("c", "1"))).isFalse();
        assertThat(store(retained("c", ""))).isTrue();
        assertThat(store(retained("a", "2"))).isTrue();
        assertThat(store(retained("b", ""))).isTrue();
        assertThat(store(retained("c", "1"))).isTrue();
        assertThat(payloads("#")).containsExactly("2", "1");
    }

    @Test
    void refusesNewTopicsAndLargerMessagesAtTheLimitOfBytes() {
        Message one = retained("a", "x".repeat(100));
        retained = open(new RetainedLimits(100, RetainedBudget.sizeOf(one) + 10));
        start();

        assertThat(store(one)).isTrue();
        assertThat(store(retained("b", "x"))).isFalse();
        assertThat(store(retained("a", "x".repeat(1_000)))).isFalse();
        assertThat(payloads("a")).containsExactly("x".repeat(100));
        assertThat(store(retained("a", "y".repeat(100)))).isTrue();
        assertThat(store(retained("a", ""))).isTrue();
        assertThat(store(retained("b", "x"))).isTrue();
        assertThat(retained.bytes()).isEqualTo(RetainedBudget.sizeOf(retained("b", "x")));
    }

    /** 300 bytes of heap were measured with a short topic and a payload of one byte, and 12,800 with a hundred. */
    @ParameterizedTest
    @CsvSource({"0, 300", "1, 470", "100, 12700"})
    void countsWhatMessagesTakeInTheHeap(int userProperties, long least) {
        store(new Message(
                "r/100000",
                new byte[1],
                QoS.AT_LEAST_ONCE,
                true,
                Messages.properties(userProperties),
                Message.NEVER,
                "c7"));
        assertThat(retained.bytes()).isBetween(least, least + 300);
    }

    @Test
    void countsMessagesThatAreNotDurableYetAgainstTheLimit() {
        retained = open(new RetainedLimits(1, 10_000));
        start();
        map.hold();
        retained.store(retained("a", "1"));

        assertThat(begin(retained("b", "1"))).isCompletedWithValue(false);
    }

    @Test
    void loadsEverythingEvenWhenTheLimitWasLowered() {
        store(retained("a", "1"));
        store(retained("b", "1"));
        map = map.reopen();
        retained = open(new RetainedLimits(1, 10));
        start();

        assertThat(payloads("#")).hasSize(2);
        assertThat(store(retained("c", "1"))).isFalse();
    }

    @Test
    void leavesExpiredMessagesOut() {
        store(retainedUntil("a", "soon", nowMillis + 10));
        store(retained("b", "never"));
        nowMillis += 10;

        assertThat(payloads("+")).containsExactly("never");
        assertThat(payloads("a")).isEmpty();
    }

    @Test
    void removesExpiredMessagesInTheBackground() {
        store(retainedUntil("a", "soon", nowMillis + 10));
        store(retainedUntil("b", "later", nowMillis + 1_000));
        store(retained("c", "never"));

        assertThat(retained.expire(nowMillis)).isZero();
        assertThat(retained.expire(nowMillis + 10)).isEqualTo(1);
        assertThat(retained.expire(nowMillis + 10)).isZero();
        assertThat(retained.expire(nowMillis + 1_000)).isEqualTo(1);

        assertThat(retained.count()).isEqualTo(1);
        assertThat(map.size()).isEqualTo(1);
    }

    @Test
    void anotherNodesMessageStaysWhenTheExpiredOneBeforeItIsToGo() {
        SharedReplicatedMap shared = new SharedReplicatedMap();
        SharedReplicatedMap.Node node = shared.node();
        RetainedMessages here = open(node, RetainedLimits.defaults());
        RetainedMessages there = open(shared.node(), RetainedLimits.defaults());
        here.start();
        there.start();
        here.store(retainedUntil("a", "old", nowMillis + 10));
        here.store(retainedUntil("b", "old", nowMillis + 10));
        node.stopReading();
        there.store(retained("a", "new"));

        assertThat(here.expire(nowMillis + 10)).isEqualTo(2);
        assertThat(here.expire(nowMillis + 10)).isZero(); // one sweep at a time
        node.goOnReading();

        assertThat(List.of(here, there)).allSatisfy(messages -> {
            assertThat(messages.current("a")).isEqualTo(retained("a", "new"));
            assertThat(messages.current("b")).isNull();
        });
        assertThat(shared.stored()).containsOnlyKeys("a");
    }

    @Test
    void looksAtABoundedNumberOfTopicsInOneSweep() {
        for (int i = 0; i < 25_000; i++) {
            store(retainedUntil("t/" + i, "x", nowMillis));
        }

        assertThat(retained.expire(nowMillis)).isEqualTo(10_000);
        assertThat(retained.expire(nowMillis)).isEqualTo(10_000);
        assertThat(retained.expire(nowMillis)).isEqualTo(5_000);
        assertThat(retained.count()).isZero();
    }

    @Test
    void matchesPageByPageInTheOrderOfTopics() {
        for (int i = 0; i < 25; i++) {
            store(retained("p/%02d/x".formatted(i), "" + i));
            store(retained("p/%02d/y".formatted(i), "no"));
        }
        List<String> seen = new ArrayList<>();
        TopicFilter filter = TopicFilter.parse("p/+/x");
        List<Message> page = retained.match(filter, null, 10);
        int pages = 0;
        while (!page.isEmpty()) {
            assertThat(page.size()).isLessThanOrEqualTo(10);
            page.forEach(message -> seen.add(Messages.text(message)));
            pages++;
            page = retained.match(filter, page.getLast().topic(), 10);
        }

        assertThat(pages).isEqualTo(3);
        assertThat(seen).hasSize(25).startsWith("0", "1", "2").doesNotHaveDuplicates();
    }

    @Test
    void findsTheOneTopicOfAFilterWithoutWildcards() {
        store(retained("a/b", "1"));
        store(retained("a/b/c", "2"));
        store(retained("a/b-", "3"));

        assertThat(payloads("a/b")).containsExactly("1");
        assertThat(payloads("a")).isEmpty();
        assertThat(retained.match(TopicFilter.parse("a/b"), "a/b", 10)).isEmpty();
    }

    @Test
    void aPageEndsAfterABoundedNumberOfTopicsEvenWithoutAMatch() {
        for (int i = 0; i < 5_000; i++) {
            store(retained("d/" + i + "/up", "x"));
        }
        store(retained("e/1/wanted", "found"));
        TopicFilter filter = TopicFilter.parse("+/+/wanted");

        Page page = retained.page(filter, null, 10);
        assertThat(page.messages()).isEmpty();
        assertThat(page.next()).isNotNull();
        int pages = 1;
        while (page.next() != null) {
            page = retained.page(filter, page.next(), 10);
            pages++;
        }
        assertThat(page.messages()).extracting(Messages::text).containsExactly("found");
        assertThat(pages).isBetween(3, 10);
        assertThat(retained.match(filter, null, 10)).hasSize(1);
    }

    @Test
    void aPageEndsWithTheMessageThatHasAllBytesItMayHave() {
        for (int i = 1; i <= 3; i++) {
            store(retained("large/" + i, "x".repeat(600)));
        }
        TopicFilter filter = TopicFilter.parse("large/+");
        Page page = retained.page(filter, null, 10, 1_000);
        assertThat(page.messages()).hasSize(2);
        page = retained.page(filter, page.next(), 10, 1_000);
        assertThat(page.messages()).extracting(Message::topic).containsExactly("large/3");
        assertThat(page.next()).isNull();
    }

    @Test // [MQTT-4.7.2-1]
    void leavesReservedTopicsOutOfLeadingWildcards() {
        retained.putVolatile(retained("$SYS/broker/version", "1"));
        store(retained("a", "2"));

        assertThat(payloads("#")).containsExactly("2");
        assertThat(payloads("+/broker/version")).isEmpty();
        assertThat(payloads("$SYS/#")).containsExactly("1");
    }

    @Test
    void showsVolatileMessagesButDoesNotStoreThem() {
        retained.putVolatile(retained("$SYS/uptime", "1"));
        retained.putVolatile(retained("$SYS/uptime", "2"));
        assertThat(payloads("$SYS/uptime")).containsExactly("2");
        assertThat(map.written()).isEmpty();

        restart();
        assertThat(payloads("$SYS/uptime")).isEmpty();
    }

    @Test
    void emptyVolatileMessageTakesAwayTheOneBefore() {
        retained.putVolatile(retained("$SYS/uptime", "1"));
        retained.putVolatile(retained("$SYS/uptime", ""));
        assertThat(retained.match(TopicFilter.parse("$SYS/uptime"), null, 10)).isEmpty();

        retained.putVolatile(retained("$SYS/uptime", "2"));
        assertThat(payloads("$SYS/uptime")).containsExactly("2");
        assertThat(retained.count()).isZero();
    }

    @Test
    void showsWhatIsStoredAgainWhenAVolatileMessageIsTakenAway() {
        store(retained("$SYS/mine", "stored"));
        retained.putVolatile(retained("$SYS/mine", "1"));
        retained.putVolatile(retained("$SYS/mine", ""));

        assertThat(payloads("$SYS/mine")).containsExactly("stored");
        assertThat(retained.count()).isEqualTo(1);
    }

    @Test
    void neitherLimitsNorCountsKnowOfVolatileMessages() {
        retained = open(new RetainedLimits(1, 1_000));
        start();
        retained.putVolatile(retained("$SYS/uptime", "x".repeat(2_000)));
        retained.putVolatile(retained("$SYS/version", "1"));

        assertThat(retained.count()).isZero();
        assertThat(retained.bytes()).isZero();
        assertThat(store(retained("a", "1"))).isTrue();
        assertThat(store(retained("b", "1"))).isFalse();
        assertThat(retained.count()).isEqualTo(1);
    }

    @Test
    void limitsKnowWhatAClientPutsInThePlaceOfAVolatileMessage() {
        retained = open(new RetainedLimits(1, 1_000));
        start();
        retained.putVolatile(retained("$SYS/uptime", "1"));

        assertThat(store(retained("$SYS/uptime", "mine"))).isTrue();
        assertThat(retained.count()).isEqualTo(1);
        assertThat(store(retained("a", "1"))).isFalse();

        retained.putVolatile(retained("$SYS/uptime", "2"));
        assertThat(payloads("$SYS/uptime")).containsExactly("2");
        assertThat(retained.count()).isZero();
        assertThat(store(retained("a", "1"))).isTrue();
    }

    @Test
    void followsTheChangesOfOtherNodes() {
        Message theirs = retained("a", "theirs");
        map.changeFromElsewhere("a", StateCodec.encodeMessage(theirs, null, RecordFormat.NEWEST));
        assertThat(payloads("a")).containsExactly("theirs");

        map.changeFromElsewhere("a", null);
        assertThat(payloads("a")).isEmpty();
    }

    @Test
    void showsWhatTheMapHasLastWhenNodesWriteAtOnce() {
        map.hold();
        CompletableFuture<Boolean> mine = begin(retained("a", "mine"));
        map.changeFromElsewhere("a", StateCodec.encodeMessage(retained("a", "before"), null, RecordFormat.NEWEST));
        assertThat(payloads("a")).containsExactly("mine");
        map.release();
        assertThat(mine).isDone();
        assertThat(payloads("a")).containsExactly("mine");

        map.changeFromElsewhere("a", StateCodec.encodeMessage(retained("a", "after"), null, RecordFormat.NEWEST));
        assertThat(payloads("a")).containsExactly("after");
    }

    @Test
    void countsRightWhenManyThreadsStoreAndRemove() throws Exception {
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int writer = 0; writer < 4; writer++) {
                writers.add(threads.submit(() -> {
                    for (int i = 0; i < 5_000; i++) {
                        int topic = ThreadLocalRandom.current().nextInt(20);
                        retained.store(retained("t/" + topic, i % 3 == 0 ? "" : "x".repeat(i % 7 + 1)));
                    }
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        }

        List<Message> all = match("#");
        assertThat(retained.count()).isEqualTo(all.size()).isEqualTo(map.size());
        assertThat(retained.bytes())
                .isEqualTo(all.stream().mapToLong(RetainedBudget::sizeOf).sum());
    }

    private RetainedMessages open(RetainedLimits limits) {
        return open(map, limits);
    }

    private RetainedMessages open(ReplicatedMap map, RetainedLimits limits) {
        InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
        return new RetainedMessages(map, limits, clock, format);
    }

    private void restart() {
        map = map.reopen();
        retained = open(RetainedLimits.defaults());
        start();
    }

    private CompletableFuture<Boolean> begin(Message message) {
        return retained.store(message).toCompletableFuture();
    }

    private boolean store(Message message) {
        return begin(message).join();
    }

    private List<Message> match(String filter) {
        return retained.match(TopicFilter.parse(filter), null, 1_000);
    }

    private List<String> payloads(String filter) {
        return match(filter).stream().map(Messages::text).toList();
    }
}
