package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.common.collection.NameTable;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What sessions with filters without wildcards receive, whether they stand for these themselves or are listed. */
class ExactFiltersTest {
    private static final int CLIENTS = 6;
    private static final int TOPICS = 12;
    private static final int STEPS = 3_000;

    private final SharedReplicatedMap stored = new SharedReplicatedMap();
    private final SharedReplicatedMap routes = new SharedReplicatedMap();
    private final TestNode node = new TestNode("n#1", stored, routes);
    private final TestNode other = new TestNode("n#2", stored, routes);
    private final Map<Integer, Long> sessions = new HashMap<>();
    /** By topic: the QoS that each client is granted. */
    private final Map<String, Map<String, QoS>> model = new HashMap<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void areFoundAsTheyAreWhenSessionsSubscribeUnsubscribeAndEnd(long seed) {
        Random random = new Random(seed);
        for (long step = 1; step <= STEPS; step++) {
            int client = random.nextInt(CLIENTS);
            // One client has no persistent session, and is not packed.
            long identity = sessions.computeIfAbsent(client, _ -> 1L);
            Subscriber subscriber = new Subscriber("c" + client, client != 0, identity);
            String topic = "t/" + random.nextInt(TOPICS);
            switch (random.nextInt(20)) {
                case 0 -> {
                    node.subscriptions.end(subscriber);
                    sessions.put(client, step + 1);
                    model.values().forEach(clients -> clients.remove(subscriber.clientId()));
                }
                case 1, 2, 3, 4, 5, 6 -> {
                    join(node.subscriptions.unsubscribe(subscriber, step, List.of(TopicFilter.parse(topic))));
                    granted(topic).remove(subscriber.clientId());
                }
                default -> {
                    QoS qos = QoS.of(random.nextInt(3));
                    join(node.subscriptions.subscribe(subscriber, step, List.of(Requests.request(topic, qos))));
                    granted(topic).put(subscriber.clientId(), qos);
                }
            }
            assertThat(found(node, topic)).isEqualTo(granted(topic));
        }
        for (int topic = 0; topic < TOPICS; topic++) {
            Map<String, QoS> persistent = new TreeMap<>(granted("t/" + topic));
            persistent.remove("c0");
            assertThat(found(other, "t/" + topic)).isEqualTo(persistent);
        }
        assertThat(node.subscriptions.count().plain())
                .isEqualTo(model.values().stream().mapToLong(Map::size).sum());
    }

    /** Topics that a table tells apart by nothing but the whole of them. */
    @Test
    void sessionOfTwoTopicsWithOneHashHidesNobodyAndLosesNothing() {
        List<String> topics = topicsWithOneHash();
        Subscriber many = new Subscriber("many", true, 1);
        Subscriber one = new Subscriber("one", true, 1);
        subscribe(many, topics.getFirst());
        subscribe(one, topics.getLast());
        subscribe(many, topics.getLast());
        assertThat(found(node, topics.getFirst())).containsOnlyKeys("many");
        assertThat(found(node, topics.getLast())).containsOnlyKeys("many", "one");
        node.subscriptions.end(one);
        assertThat(found(node, topics.getLast())).containsOnlyKeys("many");
        assertThat(node.subscriptions.count().plain()).isEqualTo(2);
    }

    private void subscribe(Subscriber subscriber, String topic) {
        join(node.subscriptions.subscribe(subscriber, 1, List.of(Requests.request(topic, QoS.AT_LEAST_ONCE))));
    }

    /** Tests have one seed for all tables. */
    private static List<String> topicsWithOneHash() {
        class Hashes extends NameTable<String> {
            @Override
            protected boolean isNamed(String entry, String name) {
                return entry.equals(name);
            }

            int of(String name) {
                return hash(name);
            }
        }

        Hashes hashes = new Hashes();
        Map<Long, String> seen = new HashMap<>();
        for (int i = 0; ; i++) {
            String topic = "t/" + i;
            String before = seen.put(
                    (long) ExactFilters.partOf(topic) << Integer.SIZE | (hashes.of(topic) & 0xFFFFFFFFL), topic);
            if (before != null) {
                return List.of(before, topic);
            }
        }
    }

    private Map<String, QoS> granted(String topic) {
        return model.computeIfAbsent(topic, _ -> new TreeMap<>());
    }

    private static Map<String, QoS> found(TestNode at, String topic) {
        Map<String, QoS> found = new TreeMap<>();
        for (Receiver receiver : at.subscriptions.match(topic).receivers()) {
            found.put(receiver.subscriber().clientId(), receiver.grant().qos());
        }
        return found;
    }

    private static void join(CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
    }
}
