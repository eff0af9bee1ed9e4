package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What all {@link GroupTopics} do. */
public abstract class GroupTopicsContract {
    /** How often a message is taken before it is given up. */
    protected static final int DELIVERY_LIMIT = 3;

    /** A group as clients write it. */
    protected static final String GROUP = "$share/workers/orders/+/\u00fc#";

    private static final int MANY = 50_000;

    @SuppressWarnings("NullAway.Init")
    private GroupTopics topics;

    /** Opens those of a node, which have no group the first time in a test and later what they had when they were closed. */
    protected abstract GroupTopics open();

    /** How many may be open at the same time, each of which may have a consumption of the same group. */
    protected abstract int nodes();

    /** What was given up so far. */
    protected abstract List<Message> deadLetters();

    @BeforeEach
    void openTopics() {
        topics = open();
        get(topics.create(GROUP));
    }

    @AfterEach
    void closeTopics() {
        topics.close();
    }

    /** Those of the first node. */
    protected GroupTopics topics() {
        return topics;
    }

    @Test
    void messagesComeAsTheyWereAppendedAndInTheOrderOfTheirTopicWhenNobodyHadThem() {
        appendAll(0, 20);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, consumer);
        consumption.request(100);
        List<GroupMessage> came = consumer.await(20);
        assertThat(came)
                .extracting(GroupMessage::message)
                .containsExactlyElementsOf(
                        LongStream.range(0, 20).mapToObj(SavePoints::message).toList());
        assertThat(came)
                .allSatisfy(each -> assertThat(each.deliveries()).isOne())
                .allSatisfy(each -> assertThat(each.timeMillis()).isPositive());
        assertThat(came).extracting(GroupMessage::id).doesNotHaveDuplicates();
    }

    @Test
    void everyFieldComesBack() {
        PublishProperties properties = new PublishProperties(
                PayloadFormat.UTF_8,
                "text/plain",
                "answers/1",
                new byte[] {1, 2},
                List.of(new UserProperty("a", "1"), new UserProperty("a", "2"), new UserProperty("mqtt.qos", "x")));
        Message message = new Message(
                "orders/\u00fc/1", new byte[] {0, -1}, QoS.EXACTLY_ONCE, true, properties, 1L << 42, "publisher-1");
        append(GROUP, message, new Source(3, 1L << 40, 2));
        RecordingConsumer consumer = new RecordingConsumer();
        topics.consume(GROUP, consumer).request(1);
        assertThat(consumer.await(1).getFirst().message()).isEqualTo(message);
    }

    @Test
    void messagesComeWhenTheyAreAppendedWhileAConsumerWaits() {
        RecordingConsumer consumer = new RecordingConsumer();
        topics.consume(GROUP, consumer).request(100);
        appendAll(0, 10);
        assertThat(numbers(consumer.await(10))).containsExactlyInAnyOrderElementsOf(range(0, 10));
    }

    @Test
    void noMoreComeThanWereRequested() {
        appendAll(0, 20);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, consumer);
        consumption.request(3);
        consumption.request(4);
        consumer.await(7).forEach(consumption::accept);
        // Whatever had come too many would have come before what is asked for now.
        consumption.request(1);
        assertThat(numbers(consumer.await(8))).isEqualTo(range(0, 8));
    }

    @Test
    void acceptedMessagesNeverComeAgain() {
        appendAll(0, 10);
        RecordingConsumer first = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, first);
        consumption.request(10);
        first.await(10).stream().filter(each -> number(each) % 2 == 0).forEach(consumption::accept);
        reopen();
        appendAll(10, 11);
        RecordingConsumer second = new RecordingConsumer();
        topics.consume(GROUP, second).request(100);
        assertThat(numbers(second.await(6))).containsExactlyInAnyOrder(1L, 3L, 5L, 7L, 9L, 10L);
    }

    @Test
    void releasedMessageComesAgainWithItsDeliveriesCounted() {
        appendAll(0, 2);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, consumer);
        consumption.request(2);
        List<GroupMessage> came = consumer.await(2);
        consumption.release(came.getFirst());
        consumption.accept(came.getLast());
        consumption.request(1);
        GroupMessage again = consumer.await(3).getLast();
        assertThat(number(again)).isZero();
        assertThat(again.deliveries()).isEqualTo(2);
        assertThat(again.message()).isEqualTo(came.getFirst().message());
        consumption.release(again);
        consumption.request(1);
        assertThat(consumer.await(4).getLast().deliveries()).isEqualTo(3);
    }

    @Test
    void unansweredMessagesComeAgainWhenTheConsumptionWasClosed() {
        appendAll(0, 5);
        RecordingConsumer first = new RecordingConsumer();
        Consumption closed = topics.consume(GROUP, first);
        closed.request(5);
        List<GroupMessage> came = first.await(5);
        closed.accept(came.getFirst());
        closed.close();
        closed.close();
        RecordingConsumer second = new RecordingConsumer();
        topics.consume(GROUP, second).request(5);
        List<GroupMessage> again = second.await(4);
        assertThat(numbers(again)).containsExactlyInAnyOrderElementsOf(range(1, 5));
        assertThat(again).allSatisfy(each -> assertThat(each.deliveries()).isEqualTo(2));
    }

    @Test
    void lateAnswersAreIgnoredWhenTheConsumptionWasClosed() {
        appendAll(0, 1);
        RecordingConsumer first = new RecordingConsumer();
        Consumption closed = topics.consume(GROUP, first);
        closed.request(1);
        GroupMessage late = first.await(1).getFirst();
        closed.close();
        closed.accept(late);
        closed.release(late);
        closed.reject(late);
        closed.request(1);
        RecordingConsumer second = new RecordingConsumer();
        topics.consume(GROUP, second).request(2);
        assertThat(second.await(1)).extracting(GroupMessage::deliveries).containsExactly(2);
        assertThat(first.messages()).hasSize(1);
    }

    @Test
    void aGroupHasOneConsumptionAtATime() {
        Consumption first = topics.consume(GROUP, new RecordingConsumer());
        assertThatThrownBy(() -> topics.consume(GROUP, new RecordingConsumer()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(GROUP);
        first.close();
        topics.consume(GROUP, new RecordingConsumer()).close();
    }

    @Test
    void groupsKeepApart() {
        String other = "$share/workers/orders/+/u#";
        get(topics.create(other));
        appendAll(0, 3);
        append(other, message(7), null);
        RecordingConsumer consumer = new RecordingConsumer();
        topics.consume(other, consumer).request(10);
        RecordingConsumer here = new RecordingConsumer();
        topics.consume(GROUP, here).request(10);
        assertThat(numbers(here.await(3))).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(numbers(consumer.await(1))).containsExactly(7L);
    }

    @Test
    void groupsAreListedUntilTheyAreDeleted() {
        get(topics.create("$share/b/c"));
        get(topics.create("$share/b/c"));
        until(() -> get(topics.groups()).containsAll(List.of(GROUP, "$share/b/c")));
        reopen();
        get(topics.delete("$share/b/c"));
        get(topics.delete("$share/b/c"));
        until(() -> !get(topics.groups()).contains("$share/b/c"));
        assertThat(get(topics.groups())).contains(GROUP);
    }

    @Test
    void nothingIsLeftWhenAGroupIsDeletedAndCreatedAgain() {
        appendAll(0, 5);
        RecordingConsumer first = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, first);
        consumption.request(2);
        List<GroupMessage> before = first.await(2);
        consumption.release(before.getFirst());
        consumption.close();
        get(topics.delete(GROUP));
        get(topics.create(GROUP));
        appendAll(100, 103);
        RecordingConsumer second = new RecordingConsumer();
        topics.consume(GROUP, second).request(10);
        assertThat(numbers(second.await(3))).containsExactlyInAnyOrderElementsOf(range(100, 103));
        assertThat(second.messages()).extracting(GroupMessage::deliveries).containsOnly(1);
    }

    @Test
    void appendIsToldMinusOneWhenThereIsNoSuchGroup() {
        assertThat(append("$share/nobody/x", message(1), null)).isEqualTo(-1);
    }

    @Test
    void messageIsGivenUpWhenItWasTakenAsOftenAsIsAllowed() {
        appendAll(0, 2);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, consumer);
        consumption.request(100);
        consumption.accept(consumer.await(2).getLast());
        for (int delivery = 1; delivery <= DELIVERY_LIMIT; delivery++) {
            GroupMessage poison = consumer.await(delivery + 1).stream()
                    .filter(each -> number(each) == 0)
                    .toList()
                    .getLast();
            assertThat(poison.deliveries()).isEqualTo(delivery);
            consumption.release(poison);
        }
        until(() -> !deadLetters().isEmpty());
        assertThat(deadLetters()).containsExactly(message(0));
        appendAll(2, 3);
        consumer.await(DELIVERY_LIMIT + 2);
        assertThat(numbers(consumer.messages()).getLast()).isEqualTo(2);
    }

    @Test
    void rejectedMessageIsGivenUpAtOnce() {
        appendAll(0, 3);
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics.consume(GROUP, consumer);
        consumption.request(3);
        consumption.reject(consumer.await(3).get(1));
        until(() -> !deadLetters().isEmpty());
        assertThat(deadLetters()).containsExactly(message(1));
        reopen();
        RecordingConsumer second = new RecordingConsumer();
        topics.consume(GROUP, second).request(3);
        assertThat(numbers(second.await(2))).containsExactlyInAnyOrder(0L, 2L);
    }

    @Test
    void manyMessagesComeOnceEachWhenTheyAreTakenInSmallNumbers() {
        List<GroupTopics> others = new ArrayList<>();
        for (int node = 1; node < nodes(); node++) {
            others.add(open());
        }
        Tally tally = new Tally(MANY);
        try {
            List<WorkingConsumer> workers = new ArrayList<>();
            workers.add(new WorkingConsumer(topics, GROUP, tally, 200));
            others.forEach(each -> workers.add(new WorkingConsumer(each, GROUP, tally, 200)));
            for (int i = 0; i < MANY; i++) {
                appendWhenThereIsRoom(i);
            }
            tally.awaitAll();
            workers.forEach(WorkingConsumer::close);
            assertThat(tally.repeated()).isEmpty();
            assertThat(workers).allSatisfy(each -> assertThat(each.count()).isPositive());
        } finally {
            others.forEach(GroupTopics::close);
        }
    }

    /** Closes the first node and opens it again. */
    protected void reopen() {
        topics.close();
        topics = open();
    }

    /** Appends messages with numbers, and waits until they are durable. */
    protected void appendAll(long from, long to) {
        List<CompletableFuture<Long>> all = new ArrayList<>();
        for (long number = from; number < to; number++) {
            all.add(begin(GROUP, message(number), null));
        }
        all.forEach(each -> assertThat(get(each)).isNotNegative());
    }

    private long append(String group, Message message, @Nullable Source source) {
        return get(begin(group, message, source));
    }

    private CompletableFuture<Long> begin(String group, Message message, @Nullable Source source) {
        CompletableFuture<Long> offset = new CompletableFuture<>();
        boolean accepted = topics.append(group, message, source, (at, failure) -> {
            if (failure == null) {
                offset.complete(at);
            } else {
                offset.completeExceptionally(failure);
            }
        });
        assertThat(accepted).isTrue();
        return offset;
    }

    private void appendWhenThereIsRoom(long number) {
        while (!topics.append(GROUP, message(number), null, (at, failure) -> {})) {
            CompletableFuture<Boolean> room = new CompletableFuture<>();
            topics.onRoom(() -> room.complete(true));
            get(room);
        }
    }

    private static long number(GroupMessage message) {
        return RecordingConsumer.number(message);
    }

    private static List<Long> numbers(List<GroupMessage> messages) {
        return messages.stream().map(RecordingConsumer::number).toList();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }
}
