package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.stall;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.TestKafka;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.TopicExistsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TopicCreationsTest {
    private static final String FIRST = "first";
    private static final String FAILING = "failing";
    private static final int ONE_REQUEST = 200;

    private final KafkaConfig config = TestKafka.config();
    private final AtomicInteger requests = new AtomicInteger();
    private final CountDownLatch others = new CountDownLatch(1);
    private final Admin admin = WatchedAdmin.of(config, (method, argument) -> {
        if (method.equals("createTopics")) {
            requests.incrementAndGet();
            if (argument.equals(List.of(topic(FIRST)))) {
                stall(others);
            } else if (argument.equals(List.of(topic(FAILING)))) {
                throw new StackOverflowError("as the test wants");
            }
        }
    });
    private final TopicCreations creations = new TopicCreations(admin);

    @AfterEach
    void close() {
        admin.close(Duration.ZERO);
    }

    @Test
    void whatWaitsIsCreatedWithOneRequestAndFailsAlone() {
        CompletableFuture<String> first = inAnotherThread(FIRST);
        List<CompletableFuture<String>> waiting = IntStream.range(0, ONE_REQUEST - 1)
                .mapToObj(i -> creations.create(topic("topic-" + i)))
                .toList();
        CompletableFuture<String> existing = creations.create(topic(FIRST));
        others.countDown();
        assertFails(existing, TopicExistsException.class);
        assertThat(waiting.stream().map(id -> get(id)).distinct()).hasSize(waiting.size());
        assertThat(get(first)).isNotEmpty();
        assertThat(requests).hasValue(2);
    }

    @Test
    void topicsAreCreatedAfterARequestThatCouldNotBeMade() {
        CompletableFuture<String> first = inAnotherThread(FIRST);
        CompletableFuture<String> failing = creations.create(topic(FAILING));
        others.countDown();
        assertFails(failing, StackOverflowError.class);
        assertThat(get(creations.create(topic("topic")))).isNotEqualTo(get(first));
    }

    /** Its request is made, and not sent yet. */
    private CompletableFuture<String> inAnotherThread(String name) {
        CompletableFuture<String> id = CompletableFuture.supplyAsync(() -> get(creations.create(topic(name))));
        until(() -> requests.get() == 1);
        return id;
    }

    private NewTopic topic(String name) {
        return new NewTopic(config.topicPrefix() + "." + name, 1, (short) 1);
    }
}
