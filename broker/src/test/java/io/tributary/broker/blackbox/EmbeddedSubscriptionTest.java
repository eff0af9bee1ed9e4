package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerSubscription;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.relocation.Drain;
import io.tributary.broker.relocation.DrainOrder;
import io.tributary.broker.relocation.DrainStatus;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the embedding application publishes and takes without a connection, also where it does so badly. */
class EmbeddedSubscriptionTest {
    private static final int PATIENCE_SECONDS = 20;
    private static final int MEBIBYTE = 1 << 20;

    private final List<String> heard = new CopyOnWriteArrayList<>();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        broker = Broker.start(BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .shards(shards -> shards.threads(1))
                .build());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    /** Messages of persistent publishers are handed to it by the thread of the publisher's shard. */
    @Test
    void othersGetTheMessageWhenAConsumerFailsWithAnError() throws IOException {
        AtomicInteger failures = new AtomicInteger();
        BrokerSubscription _ = broker.subscribe("t", QoS.EXACTLY_ONCE, _ -> {
            failures.incrementAndGet();
            throw new AssertionError("a consumer's");
        });
        try (TestClient subscriber = connect("s");
                TestClient publisher = connect("p")) {
            TestTalk.subscribe(subscriber, "t");
            publisher.queue(exactlyOnce(1));
            publisher.queue(exactlyOnce(2));
            publisher.flush();
            assertThat(publisher.expect(Pubrec.class).packetId()).isEqualTo(1);
            assertThat(publisher.expect(Pubrec.class).packetId()).isEqualTo(2);
            assertThat(TestTalk.take(subscriber)).isEqualTo("t: 1");
            assertThat(TestTalk.take(subscriber)).isEqualTo("t: 2");
            TestTalk.assertNothingMoreComes(subscriber);
        }
        assertThat(failures).hasValue(2);
        connect("p").close();
    }

    @Test
    void retainedMessageDoesNotComeBehindItsSuccessor() throws Exception {
        retain("a", "old");
        retain("b", "old");
        CountDownLatch live = new CountDownLatch(1);
        try (BrokerSubscription _ = broker.subscribe("+", QoS.AT_LEAST_ONCE, message -> {
            if (message.topic().equals("a")) {
                retainLater("b", "new");
                await(live);
            }
            hear(message, live);
        })) {
            assertThat(heard).containsExactly("b new", "a old");
        }
    }

    /** The consumer is told of the old one first, and is done with the new one first. */
    @ParameterizedTest
    @ValueSource(strings = {"new", ""})
    void newestIsTheLastWhenItComesWhileTheConsumerHasTheOldOne(String value) throws Exception {
        retain("b", "old");
        CountDownLatch live = new CountDownLatch(1);
        try (BrokerSubscription _ = broker.subscribe("+", QoS.AT_LEAST_ONCE, message -> {
            if (text(message).equals("old")) {
                retainLater("b", value);
                await(live);
            }
            hear(message, live);
        })) {
            assertThat(heard).containsExactly("b " + value, "b old", "b " + value);
        }
    }

    /** Consumers get retained messages once more, from the thread that begins anew. */
    @Test
    void consumerMaySubscribeAndEndSubscriptionsWhileTheNodeBeginsAnew() throws Exception {
        retain("a", "old");
        AtomicBoolean isAnew = new AtomicBoolean();
        BrokerSubscription ended = broker.subscribe("ended", QoS.AT_LEAST_ONCE, this::hear);
        BrokerSubscription _ = broker.subscribe("a", QoS.AT_LEAST_ONCE, _ -> {
            if (isAnew.compareAndSet(true, false)) {
                ended.close();
                BrokerSubscription _ = broker.subscribe("made", QoS.AT_LEAST_ONCE, this::hear);
            }
        });
        isAnew.set(true);
        drainAndServeAgain();
        assertThat(publish(Message.of("made", "1".getBytes(UTF_8), QoS.AT_LEAST_ONCE)))
                .isTrue();
        assertThat(publish(Message.of("ended", "1".getBytes(UTF_8), QoS.AT_LEAST_ONCE)))
                .isFalse();
        assertThat(heard).containsExactly("made 1");
    }

    @Test
    void subscriptionEndsWhileAnotherIsStillHandedRetainedMessages() throws Exception {
        retain("a", "old");
        BrokerSubscription ended = broker.subscribe("ended", QoS.AT_LEAST_ONCE, this::hear);
        CountDownLatch handed = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        Executor threads = task -> Thread.ofPlatform().daemon().start(task);
        CompletableFuture<BrokerSubscription> other = CompletableFuture.supplyAsync(
                () -> broker.subscribe("a", QoS.AT_LEAST_ONCE, _ -> {
                    handed.countDown();
                    await(over);
                }),
                threads);
        await(handed);
        CompletableFuture<Void> ending = CompletableFuture.runAsync(ended::close, threads);
        try {
            ending.get(PATIENCE_SECONDS / 2, SECONDS);
        } finally {
            over.countDown();
        }
        other.get(PATIENCE_SECONDS, SECONDS).close();
    }

    private void drainAndServeAgain() {
        CompletionStage<DrainStatus> _ = broker.drain().begin(new DrainOrder(Duration.ZERO, 0, "ada", "here"));
        until(() -> broker.drain().status().phase() == Drain.Phase.SAFE);
        CompletionStage<DrainStatus> _ = broker.drain().cancel("ada", "here");
        until(() -> broker.status().ready());
    }

    private static void until(BooleanSupplier condition) {
        Awaitility.await().atMost(Duration.ofSeconds(PATIENCE_SECONDS)).until(condition::getAsBoolean);
    }

    /** Neither at once nor by a node that begins anew, which such a filter would keep from it. */
    @Test
    void refusesFiltersThatNoClientCouldHave() {
        String longest = "a".repeat(1024);
        for (String filter : List.of("", "a/#/b", longest + "a", "$share/g/" + longest)) {
            assertThatThrownBy(() -> broker.subscribe(filter, QoS.AT_LEAST_ONCE, this::hear))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> broker.subscribe("acme", filter, QoS.AT_LEAST_ONCE, this::hear))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        broker.subscribe(longest, QoS.AT_LEAST_ONCE, this::hear).close();
        broker.subscribe("acme", longest, QoS.AT_LEAST_ONCE, this::hear).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/+/b", "#", "\0acme/a"})
    void refusesTopicsThatNoClientCouldPublishTo(String topic) {
        assertThatThrownBy(() -> broker.publish(Message.of(topic, new byte[1], QoS.AT_LEAST_ONCE)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> broker.publish("acme", Message.of(topic, new byte[1], QoS.AT_LEAST_ONCE)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void messagesThatCannotBeRoutedLeaveRoomForOthers() throws Exception {
        byte[] payload = new byte[MEBIBYTE];
        for (int i = 0; i < 70; i++) {
            assertThatThrownBy(() -> publish(withoutQos(payload)))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(NullPointerException.class);
        }
        assertThat(publish(Message.of("a", payload, QoS.AT_LEAST_ONCE))).isFalse();
    }

    @SuppressWarnings("NullAway") // the application's mistake
    private static Message withoutQos(byte[] payload) {
        return new Message("a", payload, null, false, PublishProperties.NONE, Message.NEVER, "");
    }

    private void hear(Message message) {
        heard.add(message.topic() + " " + text(message));
    }

    private void hear(Message message, CountDownLatch live) {
        hear(message);
        if (message.topic().equals("b") && !text(message).equals("old")) {
            live.countDown();
        }
    }

    private void retain(String topic, String text) throws Exception {
        publish(Message.of(topic, text.getBytes(UTF_8), QoS.AT_LEAST_ONCE).withRetain(true));
    }

    private void retainLater(String topic, String text) {
        CompletableFuture<Boolean> _ = broker.publish(Message.of(topic, text.getBytes(UTF_8), QoS.AT_LEAST_ONCE)
                        .withRetain(true))
                .toCompletableFuture();
    }

    private boolean publish(Message message) throws Exception {
        return broker.publish(message).toCompletableFuture().get(PATIENCE_SECONDS, SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private TestClient connect(String clientId) throws IOException {
        int port = broker.listeners().getFirst().address().getPort();
        return TestClient.connect(port, ProtocolVersion.MQTT_5, clientId, 3_600);
    }

    private static Publish exactlyOnce(int packetId) {
        return TestTalk.publication("t", String.valueOf(packetId), QoS.EXACTLY_ONCE, false, packetId);
    }

    private static String text(Message message) {
        return new String(message.payload(), UTF_8);
    }
}
