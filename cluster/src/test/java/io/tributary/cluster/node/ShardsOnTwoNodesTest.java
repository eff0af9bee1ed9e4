package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.shard.ShardStats;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.node.ShardNode.Connected;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.PrincipalFormat;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalKafka;
import io.tributary.localcluster.LocalRedis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions whose connection is on one node and whose shard is on another, with a real Kafka and a real Redis Cluster.
 */
class ShardsOnTwoNodesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CLIENTS = 12;
    private static final int MESSAGES = 20;

    @TempDir
    private Path folder;

    private LocalRedis redis;
    private KafkaConfig kafka;
    private RedisConfig stores;
    private ShardNode one;
    private ShardNode two;
    private boolean closed;
    private long lastConnection;

    @BeforeEach
    void start() {
        redis = LocalRedis.in(folder).start();
        kafka = KafkaConfig.defaults(LocalKafka.shared().bootstrapServers())
                .withTopicPrefix("test-" + UUID.randomUUID())
                .withReplicationFactor(1);
        KafkaTopics.ensure(
                kafka, new TopicNeeds(ShardNode.SHARDS, List.of(), List.of(), Duration.ofDays(7), 256 * 1024));
        stores = RedisConfig.of(redis.nodes().stream()
                .map(node -> node.split(":"))
                .map(node -> new RedisConfig.Node(node[0], Integer.parseInt(node[1])))
                .toList());
        one = new ShardNode("one", kafka, stores);
        two = new ShardNode("two", kafka, stores);
        ShardNode.connect(one, two);
        patiently().until(() -> {
            Set<Integer> all = new HashSet<>(one.owned);
            all.addAll(two.owned);
            return all.size() == ShardNode.SHARDS && !one.owned.isEmpty() && !two.owned.isEmpty() && areLinked();
        });
    }

    @AfterEach
    void stop() {
        one.close();
        if (!closed) {
            two.close();
        }
        redis.close();
    }

    @Test
    void messagesReachSessionsWhereverTheirShardIs() {
        List<Connected> connected = attachAll();
        for (int i = 0; i < MESSAGES; i++) {
            publish(i % 2 == 0 ? one : two, connected, "m" + i);
        }
        patiently()
                .untilAsserted(
                        () -> { // two publishers: in any order
                            for (Connected one : connected) {
                                assertThat(one.texts()).containsExactlyInAnyOrderElementsOf(texts(MESSAGES));
                            }
                        });
    }

    @Test
    void everythingIsToldAgainWhenTheLinkWasCut() {
        List<Connected> connected = attachAll();
        publish(one, connected, "m0");
        awaitAll(connected, 1);
        cut();
        for (int i = 1; i < MESSAGES; i++) {
            publish(one, connected, "m" + i);
        }
        List<Connected> next = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i += 2) { // one client in two comes back at the other node
            next.add(node(i + 1).attach("client-" + i, ++lastConnection));
        }
        mend();
        patiently().untilAsserted(() -> assertThat(next).allMatch(Connected::isAttached));
        patiently().untilAsserted(() -> {
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(connected.get(i).isTakenOver()).isEqualTo(i % 2 == 0);
            }
        });
        patiently().untilAsserted(() -> {
            for (int i = 1; i < CLIENTS; i += 2) {
                assertThat(connected.get(i).texts()).isEqualTo(texts(MESSAGES));
            }
        });
    }

    @Test
    void relayIsAnsweredWhereverItsShardIsAndWhateverHappensToTheLink() throws Exception {
        List<Connected> connected = attachAll();
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            answers.add(relay(i, connected.get(i), 1));
        }
        cut();
        for (int i = 0; i < CLIENTS; i++) {
            answers.add(relay(i, connected.get(i), 2));
        }
        mend();
        for (CompletableFuture<Boolean> answer : answers) {
            assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void sessionsGoOnWhenTheirShardMovesToAnotherNode() {
        List<Connected> connected = attachAll();
        publish(one, connected, "m0");
        awaitAll(connected, 1);
        two.close();
        closed = true;
        List<Connected> atOne = IntStream.range(0, CLIENTS)
                .filter(i -> i % 2 == 0)
                .mapToObj(connected::get)
                .toList();
        List<Recipient> recipients = recipients(connected).stream()
                .filter(one -> Integer.parseInt(one.clientId().substring("client-".length())) % 2 == 0)
                .toList();
        for (int i = 1; i < MESSAGES; i++) {
            one.appends.publish(message("m" + i), recipients, null, (_, _) -> {});
        }
        awaitAll(atOne, MESSAGES);
    }

    @Test
    void sessionsGoOnWhenTheLastNodeOfAnOldVersionIsReplacedAndANewFormatWritten() {
        List<Connected> connected = attachAll();
        publish(one, connected, "m0");
        awaitAll(connected, 1);
        assertThat(one.log.read).containsExactly(1);
        // An acknowledgement that is still on its way when the node ends means the message once more, at QoS 1.
        // Figures are some seconds old: those that know of no session yet know of no message either.
        patiently().until(() -> {
            ShardStats ofOne = one.shards.stats();
            ShardStats ofTwo = two.shards.stats();
            return ofOne.persistentSessions() + ofTwo.persistentSessions() == CLIENTS
                    && ofOne.queuedMessages() + ofTwo.queuedMessages() == 0;
        });
        two.close(); // which was of the old version
        one.format.raise(NextFormat.NUMBER);
        two = new ShardNode("three", kafka, stores);
        two.format.raise(NextFormat.NUMBER);
        ShardNode.connect(one, two);
        patiently().until(() -> !two.owned.isEmpty() && areLinkedTo("three"));
        List<Connected> again = new ArrayList<>(connected);
        for (int i = 1; i < CLIENTS; i += 2) {
            again.set(i, two.attach("client-" + i, ++lastConnection));
        }
        patiently().untilAsserted(() -> assertThat(again).allMatch(Connected::isAttached));
        for (int i = 1; i < MESSAGES; i++) {
            publish(one, again, "m" + i);
        }
        patiently().untilAsserted(() -> {
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(again.get(i).texts()).isEqualTo(texts(MESSAGES).subList(i % 2, MESSAGES));
            }
        });
        assertThat(two.log.read).contains(NextFormat.NUMBER);
    }

    @Test
    void strangersGetNoSessionWhereverItIsOnceAllNodesReadWhoseItIs() {
        List<Connected> connected = attachAll();
        publish(one, connected, "m0");
        awaitAll(connected, 1);
        Principal stranger = Principal.ofUser("stranger");
        Connected early = two.attach("client-0", ++lastConnection, stranger); // format 1 does not say who it is
        patiently().until(early::isAttached);
        connected.set(0, one.attach("client-0", ++lastConnection));
        patiently().untilAsserted(() -> assertThat(connected).allMatch(Connected::isAttached));
        one.format.raise(PrincipalFormat.FIRST);
        two.format.raise(PrincipalFormat.FIRST);
        for (int i = 0; i < CLIENTS; i++) { // sessions of format 1 are theirs who resume them
            connected.set(i, node(i).attach("client-" + i, ++lastConnection));
        }
        patiently().untilAsserted(() -> assertThat(connected).allMatch(Connected::isAttached));
        List<Connected> strangers = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) { // also at the node that has the connection
            strangers.add(node(i + i / 2).attach("client-" + i, ++lastConnection, stranger));
        }
        patiently()
                .untilAsserted(() ->
                        assertThat(strangers).allMatch(each -> each.refusal() == AttachRefusal.IS_SOMEBODY_ELSES));
        publish(two, connected, "m1");
        patiently()
                .untilAsserted(() ->
                        assertThat(connected).allMatch(each -> each.texts().contains("m1")));
        assertThat(connected).noneMatch(Connected::isTakenOver);
        assertThat(strangers).noneMatch(Connected::isAttached);
    }

    private List<Connected> attachAll() {
        List<Connected> connected = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            connected.add(node(i).attach("client-" + i, ++lastConnection));
        }
        patiently().untilAsserted(() -> assertThat(connected).allMatch(Connected::isAttached));
        return connected;
    }

    private ShardNode node(int client) {
        return client % 2 == 0 ? one : two;
    }

    private void publish(ShardNode from, List<Connected> to, String text) {
        from.appends.publish(message(text), recipients(to), null, (_, _) -> {});
    }

    private static List<Recipient> recipients(List<Connected> to) {
        return IntStream.range(0, to.size())
                .mapToObj(i -> new Recipient(
                        "client-" + i, to.get(i).attached().session(), QoS.AT_LEAST_ONCE, false, List.of(), null))
                .toList();
    }

    private CompletableFuture<Boolean> relay(int client, Connected from, int packetId) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Relay relay = new Relay("client-" + client, from.attached().epoch(), packetId, message("r"), Destinations.NONE);
        node(client).appends.relay(relay, () -> true, (_, failure) -> answer.complete(failure == null));
        return answer;
    }

    private static Message message(String text) {
        return new Message(
                "a",
                text.getBytes(StandardCharsets.UTF_8),
                QoS.EXACTLY_ONCE,
                false,
                PublishProperties.NONE,
                Message.NEVER,
                "publisher");
    }

    private static void awaitAll(List<Connected> connected, int messages) {
        patiently().untilAsserted(() -> {
            for (Connected one : connected) {
                assertThat(one.texts()).isEqualTo(texts(messages));
            }
        });
    }

    private static List<String> texts(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    private boolean areLinked() {
        return areLinkedTo("two");
    }

    private boolean areLinkedTo(String other) {
        return one.linked.contains(other) && two.linked.contains("one");
    }

    private void cut() {
        one.cut();
        two.cut();
        patiently().until(() -> one.linked.isEmpty() && two.linked.isEmpty());
    }

    private void mend() {
        one.link();
        two.link();
        patiently().until(this::areLinked);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
