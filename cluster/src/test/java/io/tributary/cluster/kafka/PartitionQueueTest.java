package io.tributary.cluster.kafka;

import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.shard.AppendCallback;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/**
 * What is sent when, to a Kafka that answers when the test says so. A server that knows nothing of a producer takes any
 * batch for the first one, and refuses the real one ever after: that cannot be had from a real one at will.
 */
class PartitionQueueTest {
    private final MockProducer<byte[], byte[]> kafka =
            new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final List<String> told = new ArrayList<>();
    private final List<Throwable> broken = new ArrayList<>();
    private long nowNanos = Long.MAX_VALUE - 5; // it may wrap
    private final OrderedProducer producer = new OrderedProducer(
            KafkaConfig.defaults("localhost:9092"), kafka, KafkaRecorder.NONE, broken::add, () -> nowNanos);
    private final PartitionQueue queue = producer.queue(new TopicPartition("shards", 3));

    @Test
    void nothingIsSentBehindTheFirstRecordBeforeKafkaHasIt() {
        send("a", "b", "c");
        assertThat(sent()).containsExactly("a");
        assertThat(kafka.completeNext()).isTrue();
        assertThat(told).containsExactly("a taken");
        send("d");
        assertThat(sent()).containsExactly("a", "b", "c", "d");
        completeAll();
        assertThat(told).containsExactly("a taken", "b taken", "c taken", "d taken");
    }

    @Test
    void firstRecordIsWaitedForAgainWhenNothingWasSentForLong() {
        send("a");
        completeAll();
        send("b", "c");
        assertThat(sent()).containsExactly("a", "b", "c");
        nowNanos += Duration.ofMinutes(61).toNanos();
        send("d");
        assertThat(sent()).as("some are under way").contains("d");
        completeAll();
        nowNanos += Duration.ofMinutes(61).toNanos();
        send("e", "f");
        assertThat(sent()).contains("e").doesNotContain("f");
        completeAll();
        assertThat(sent()).containsExactly("a", "b", "c", "d", "e", "f");
    }

    /** Kafka's producer says nothing while it tries again: nothing else shows that a partition has no leader. */
    @Test
    void ageOfTheOldestAppendIsThatOfTheLongestWaiting() {
        PartitionQueue other = producer.queue(new TopicPartition("shards", 4));
        assertThat(producer.oldestAppendNanos()).isZero();
        send("a");
        nowNanos += 7;
        assertThat(other.send(null, bytes("b"), (_, _) -> {})).isTrue();
        nowNanos += 5;
        assertThat(producer.oldestAppendNanos()).isEqualTo(12);
        assertThat(kafka.completeNext()).isTrue();
        assertThat(producer.oldestAppendNanos()).isEqualTo(5);
        completeAll();
        assertThat(producer.oldestAppendNanos()).isZero();
    }

    @Test
    void recordsBehindTheFirstAreTriedAgainWhenTheyCannotBeSentForNow() {
        send("a", "b", "c");
        kafka.sendException = new TimeoutException("it does not know the topic any more");
        assertThat(kafka.completeNext()).isTrue();
        send("d");
        assertThat(sent()).containsExactly("a");
        kafka.sendException = null;
        until(() -> sent().size() == 4);
        assertThat(sent()).containsExactly("a", "b", "c", "d");
        completeAll();
        assertThat(told).containsExactly("a taken", "b taken", "c taken", "d taken");
    }

    @Test
    void recordsBehindTheFirstFailWithIt() {
        send("a", "b", "c");
        assertThat(kafka.errorNext(new TopicAuthorizationException("shards"))).isTrue();
        assertThat(told).containsExactly("a failed", "b failed", "c failed");
        assertThat(sent()).containsExactly("a");
        assertThat(broken).hasSize(1);
    }

    @Test
    void recordsBehindOneWhoseCallbackFailsAreCalledBackFor() {
        AppendCallback failing = (_, _) -> {
            throw new AssertionError("as the test wants");
        };
        assertThat(queue.send(null, bytes("a"), failing)).isTrue();
        send("b");
        completeAll();
        assertThat(told).containsExactly("b taken");
        assertThat(producer.obstacle(1)).isNull();
    }

    /** Nobody knows what became of it: nothing may come behind it, and the node is to stop. */
    @Test
    void recordWithWhichKafkasProducerHasAnErrorFailsForGood() {
        OrderedProducer producer = new OrderedProducer(
                KafkaConfig.defaults("localhost:9092"),
                new FailingProducer(),
                KafkaRecorder.NONE,
                broken::add,
                () -> nowNanos);
        AppendCallback callback = (_, failure) -> told.add(failure == null ? "taken" : "failed");
        assertThat(producer.queue(new TopicPartition("shards", 3)).send(null, bytes("a"), callback))
                .isTrue();
        assertThat(told).containsExactly("failed");
        assertThat(broken).hasSize(1);
    }

    @Test
    void recordsBehindTheFirstAreSentWhenItIsClosedMeanwhile() throws InterruptedException {
        send("a", "b");
        Thread closing = Thread.ofVirtual().start(producer::close);
        until(() -> producer.obstacle(1) != null);
        completeAll();
        closing.join();
        assertThat(sent()).containsExactly("a", "b");
        assertThat(told).contains("a taken");
    }

    @Test
    void recordsBehindTheFirstFailWithItWhenItIsClosedMeanwhile() throws InterruptedException {
        send("a", "b");
        Thread closing = Thread.ofVirtual().start(producer::close);
        until(() -> producer.obstacle(1) != null);
        assertThat(kafka.errorNext(new TopicAuthorizationException("shards"))).isTrue();
        closing.join();
        assertThat(sent()).containsExactly("a");
        assertThat(told).containsExactly("a failed", "b failed");
    }

    private void send(String... texts) {
        for (String text : texts) {
            assertThat(queue.send(
                            null,
                            bytes(text),
                            (_, failure) -> told.add(text + (failure == null ? " taken" : " failed"))))
                    .isTrue();
        }
    }

    private void completeAll() {
        while (kafka.completeNext()) {
            assertThat(broken).isEmpty();
        }
    }

    private List<String> sent() {
        return kafka.history().stream()
                .map(record -> new String(record.value(), StandardCharsets.UTF_8))
                .toList();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
