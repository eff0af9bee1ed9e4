package io.tributary.server.blackbox.cluster;

import static io.tributary.server.blackbox.cluster.SecuredClusterTest.cluster;
import static io.tributary.server.blackbox.cluster.SecuredClusterTest.token;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Users of a cluster, changed at any node, while clients log in at others, and the node that writes dies or pauses. */
abstract class UsersOfACluster {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int BAD_USER_NAME_OR_PASSWORD = 0x86;
    private static final Pattern NUMBER = Pattern.compile("\"n\":\"(\\d+)\"");
    private static final int WRITERS = 3;

    @Test
    void userLogsInAtEveryNodeAtOnceAndAtNoneOnceDisabled() {
        List<String> names = cluster.names();
        for (String at : names) {
            String user = "users/devices:of-" + at;
            try (SecurityApi api = api(at)) {
                expect(201, () -> api.create(user, "{\"password\":\"pass-word-" + at + "\"}"));
            }
            List<Mqtt5BlockingClient> clients = new ArrayList<>();
            for (String node : names) {
                clients.add(connected(node, "c-" + at + "-" + node, "of-" + at, "pass-word-" + at));
            }
            try (SecurityApi api = api(names.getLast())) {
                expect(200, () -> api.replace(user, "{\"disabled\":true}"));
            }
            clients.forEach(client ->
                    await().atMost(PATIENCE).until(() -> !client.getState().isConnected()));
            for (String node : names) {
                assertThat(refusal(node, "c-" + at + "-" + node, "of-" + at, "pass-word-" + at))
                        .isEqualTo(BAD_USER_NAME_OR_PASSWORD);
            }
        }
    }

    /** A number of a user grows; whoever was answered finds it, or a later one, at every node from then on. */
    private static final class Writer implements Runnable {
        private final String user;
        private final Map<String, Integer> answered;
        private final Map<String, Integer> tried;
        private volatile boolean isOver;
        private final AtomicInteger failures = new AtomicInteger();
        private volatile @Nullable AssertionError wrong;

        private Writer(String user, Map<String, Integer> answered, Map<String, Integer> tried) {
            this.user = user;
            this.answered = answered;
            this.tried = tried;
        }

        @Override
        public void run() {
            int number = 0;
            try {
                while (!isOver) {
                    number++;
                    write(number);
                }
            } catch (AssertionError e) {
                wrong = e;
            }
        }

        private void write(int number) {
            String body = "{\"attributes\":{\"n\":\"" + number + "\"}}";
            tried.put(user, number);
            List<BrokerProcess> up = cluster.upNodes();
            BrokerProcess node = up.get(number % up.size());
            try (SecurityApi api = new SecurityApi(node.httpPort(), token)) {
                HttpResponse<String> answer = number == 1 || api.get(user).statusCode() == 404
                        ? api.create(user, body)
                        : api.replace(user, body);
                if (answer.statusCode() == 200 || answer.statusCode() == 201) {
                    answered.put(user, number);
                    int seen = seen(up.get((number + 1) % up.size()));
                    if (seen >= 0 && seen < number) {
                        throw new AssertionError(user + " is " + seen + " after " + number + " was answered");
                    }
                } else {
                    failures.incrementAndGet();
                }
            } catch (UncheckedIOException killed) {
                failures.incrementAndGet();
            }
        }

        private int seen(BrokerProcess node) {
            try (SecurityApi api = new SecurityApi(node.httpPort(), token)) {
                return number(api, user);
            }
        }
    }

    @Tag("long")
    @Test
    void noAnsweredChangeIsLostWhenTheNodeThatWritesDiesOrIsPaused() throws Exception {
        Map<String, Integer> answered = new ConcurrentHashMap<>();
        Map<String, Integer> tried = new ConcurrentHashMap<>();
        List<Writer> writers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            Writer writer = new Writer("users/devices:w" + i, answered, tried);
            writers.add(writer);
            threads.add(Thread.ofPlatform().name("writer-" + i).start(writer));
        }
        awaitProgress(answered, 5);
        String dead = cluster.ownerOf(0);
        cluster.kill(dead);
        awaitProgress(answered, 5);
        cluster.start(dead);
        String paused = cluster.ownerOf(0);
        cluster.node(paused).pause();
        await().atMost(PATIENCE).until(() -> !cluster.ownerOf(0).equals(paused));
        awaitProgress(answered, 3);
        cluster.node(paused).resume();
        awaitProgress(answered, 5);
        writers.forEach(writer -> writer.isOver = true);
        for (Thread thread : threads) {
            thread.join();
        }
        for (Writer writer : writers) {
            assertThat(writer.wrong).isNull();
        }
        awaitAlike();
        for (Writer writer : writers) {
            try (SecurityApi api = api(cluster.names().getFirst())) {
                assertThat(number(api, writer.user))
                        .as(writer.user + ", with " + writer.failures + " failures")
                        .isBetween(answered.getOrDefault(writer.user, 0), tried.getOrDefault(writer.user, 0));
            }
        }
    }

    /** Sessions at each node and one that is away, of a user whose right to the topic is withdrawn at one node. */
    @Test
    void withdrawnRightTakesSubscriptionsAtAllNodes() throws IOException {
        List<TestClient> clients = new ArrayList<>();
        try (SecurityApi api = api(cluster.names().getFirst())) {
            expect(201, () -> api.create("users/devices:reads", user("reads")));
            expect(201, () -> api.create("rules/reads", rules("reads", "news/#")));
            for (String node : cluster.names()) {
                clients.add(subscribed(node, "reads-" + node, "reads", 0));
                clients.add(subscribed(node, "reads-for-long-" + node, "reads", 600));
            }
            subscribed(cluster.names().getLast(), "reads-away", "reads", 600).disconnect(-1);
            awaitSubscriptions(PATIENCE, cluster.names(), 3 + 3 * 4);

            expect(200, () -> api.replace("rules/reads", rules("reads", "old/#")));
            awaitSubscriptions(PATIENCE, cluster.names(), 0);

            expect(200, () -> api.replace("rules/reads", rules("reads", "news/#")));
            await().atMost(PATIENCE)
                    .until(() -> publish(clients.getFirst(), "news/1") == ReasonCode.NO_MATCHING_SUBSCRIBERS);
            TestClient away = open(cluster.names().getFirst(), "reads-away", "reads", 600);
            assertThat(away.expect(Connack.class).sessionPresent()).isTrue();
            clients.add(away);
            for (TestClient client : clients) {
                client.send(new MqttPacket.Pingreq());
                client.expect(MqttPacket.Pingresp.class); // and nothing else
                client.disconnect(0);
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(withdrawals(api)).containsAll(cluster.names()));
            forget(api, "reads");
        }
    }

    /** The nodes that have noted in the audit log that they took something. */
    private static List<String> withdrawals(SecurityApi api) {
        return Pattern.compile("\"action\":\"withdraw\"[^}]*\"from\":\"(\\w+)\"")
                .matcher(api.send("GET", "/api/v1/audit?limit=100", "").body())
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    /** Clients come and go, users and rules change, the node that writes dies: a right that is withdrawn bites. */
    @Test
    void withdrawnRightBitesOnAllNodesWhenTheNodeThatWritesHasDied() throws Exception {
        try (SecurityApi api = api(cluster.names().getFirst())) {
            expect(201, () -> api.create("users/devices:moves", user("moves")));
            expect(201, () -> api.create("rules/moves", rules("moves", "news/#")));
        }
        Writer users = new Writer("users/devices:w9", new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        RuleWriter rules = new RuleWriter();
        Mover mover = new Mover();
        Thread ruling = Thread.ofPlatform().name("rule-writer").start(rules);
        Thread writing = Thread.ofPlatform().name("writer").start(users);
        Thread moving = Thread.ofPlatform().name("mover").start(mover);
        await().atMost(PATIENCE)
                .until(() -> mover.granted.size() == cluster.names().size());
        String dead = cluster.ownerOf(0);
        cluster.kill(dead);
        List<String> live =
                cluster.names().stream().filter(name -> !name.equals(dead)).toList();
        List<TestClient> clients = new ArrayList<>();
        for (String node : live) {
            clients.add(subscribed(node, "moves-not-" + node, "moves", 0));
        }
        try (SecurityApi api = api(live.getFirst())) {
            await().atMost(PATIENCE)
                    .until(() ->
                            api.replace("rules/moves", rules("moves", "old/#")).statusCode() == 200);
            for (TestClient client : clients) {
                await().atMost(PATIENCE).until(() -> publish(client, "news/1") == ReasonCode.NOT_AUTHORIZED);
            }
            mover.awaitRefused(live); // what it was granted before is over
            mover.granted.clear();
            awaitSubscriptions(PATIENCE, live, 0);
            mover.awaitRefused(live);
            assertThat(mover.granted).as("where it was granted later").isEmpty();
            mover.isOver = true;
            users.isOver = true;
            rules.isOver = true;
            ruling.join();
            moving.join();
            writing.join();
            assertThat(users.wrong).isNull();
            cluster.start(dead);
            delete(api, "rules/filler");
            forget(api, "moves");
        }
        clients.forEach(TestClient::close);
    }

    /** Has a rule set that is for nobody change at any node. */
    private static final class RuleWriter implements Runnable {
        private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

        private volatile boolean isOver;

        @Override
        public void run() {
            for (int number = 0; !isOver; number++) {
                List<BrokerProcess> up = cluster.upNodes();
                try (SecurityApi api =
                        new SecurityApi(up.get(number % up.size()).httpPort(), token)) {
                    String body = rules("nobody", "number/" + number);
                    HttpResponse<String> answer = api.replace("rules/filler", body);
                    if (answer.statusCode() == 412) {
                        api.create("rules/filler", body);
                    }
                } catch (UncheckedIOException killed) {
                    LockSupport.parkNanos(PACE_NANOS);
                }
                LockSupport.parkNanos(PACE_NANOS);
            }
        }
    }

    /** A client that connects to one node after the other, and subscribes there. */
    private static final class Mover implements Runnable {
        private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        private final Set<String> granted = ConcurrentHashMap.newKeySet();
        private final Set<String> refused = ConcurrentHashMap.newKeySet();
        private volatile boolean isOver;

        @Override
        public void run() {
            while (!isOver) {
                for (String node : cluster.names()) {
                    try (TestClient client = open(node, "mover", "moves", 0)) {
                        client.await(Connack.class, Duration.ofSeconds(5));
                        client.send(subscribe("news/#"));
                        Suback answer = client.await(Suback.class, Duration.ofSeconds(5));
                        (answer.reasons().getFirst().isError() ? refused : granted).add(node);
                        client.disconnect(0);
                    } catch (IOException down) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                }
                LockSupport.parkNanos(PAUSE_NANOS); // leaves the machine to others
            }
        }

        /** Waits until it was refused by all of these from now on. */
        private void awaitRefused(List<String> nodes) {
            refused.clear();
            await().atMost(PATIENCE).until(() -> refused.containsAll(nodes));
        }
    }

    private static String user(String name) {
        return "{\"password\":\"pass-word-" + name + "\",\"groups\":[\"" + name + "\"]}";
    }

    private static String rules(String group, String topic) {
        return "{\"for\":{\"groups\":[\"" + group + "\"]},\"rules\":[{\"allow\":\"all\",\"topic\":\"" + topic + "\"}]}";
    }

    /** Rules would close the cluster for what other tests do. */
    private static void forget(SecurityApi api, String... names) {
        for (String name : names) {
            delete(api, "rules/" + name);
            delete(api, "users/devices:" + name);
        }
    }

    /** Tries again while a node that has just started changes who writes. */
    private static void delete(SecurityApi api, String object) {
        await().atMost(PATIENCE)
                .until(() -> api.delete(object).statusCode() == 204
                        || api.get(object).statusCode() == 404);
    }

    /** Waits for the sum of what nodes say: each has those of all persistent sessions, and of its own others. */
    private static void awaitSubscriptions(Duration limit, List<String> nodes, int total) {
        await().atMost(limit).untilAsserted(() -> {
            int sum = 0;
            for (String node : nodes) {
                try (SecurityApi api = api(node)) {
                    Matcher value = Pattern.compile("(?m)^tributary_subscriptions(?:\\{[^}]*})? (\\S+)$")
                            .matcher(api.send("GET", "/actuator/prometheus", "").body());
                    assertThat(value.find()).isTrue();
                    sum += (int) Double.parseDouble(value.group(1));
                }
            }
            assertThat(sum).isEqualTo(total);
        });
    }

    private static TestClient subscribed(String node, String clientId, String user, long expiry) throws IOException {
        TestClient client = open(node, clientId, user, expiry);
        assertThat(client.expect(Connack.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        await().atMost(PATIENCE)
                .until(
                        () -> { // new rules do not hold at once
                            client.send(subscribe("news/#"));
                            return client.expect(Suback.class).reasons().getFirst() == ReasonCode.GRANTED_QOS_1;
                        });
        return client;
    }

    private static Subscribe subscribe(String filter) {
        Subscription asked = new Subscription(filter, QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
        return new Subscribe(1, List.of(asked), 0, List.of());
    }

    /** Opens a connection, and sends CONNECT. */
    private static TestClient open(String node, String clientId, String user, long expiry) throws IOException {
        TestClient client = TestClient.open(cluster.node(node).tcpPort(), ProtocolVersion.MQTT_5);
        client.send(new Connect(
                ProtocolVersion.MQTT_5,
                expiry == 0,
                0,
                clientId,
                null,
                user,
                ("pass-word-" + user).getBytes(UTF_8),
                ConnectProperties.defaults(expiry)));
        return client;
    }

    private static ReasonCode publish(TestClient client, String topic) throws IOException {
        client.send(TestTalk.packet(topic, "x", false, 0));
        MqttPacket next = client.poll(Duration.ofSeconds(20));
        while (next instanceof Publish) { // of another client that may still publish
            next = client.poll(Duration.ofSeconds(20));
        }
        assertThat(next).isInstanceOf(Puback.class);
        return ((Puback) next).reason();
    }

    private static void awaitProgress(Map<String, Integer> answered, int changes) {
        Map<String, Integer> before = Map.copyOf(answered);
        await().atMost(PATIENCE.multipliedBy(2)).until(() -> {
            for (int i = 0; i < WRITERS; i++) {
                String user = "users/devices:w" + i;
                if (answered.getOrDefault(user, 0) < before.getOrDefault(user, 0) + changes) {
                    return false;
                }
            }
            return true;
        });
    }

    /** The same users, of the same versions. */
    private static void awaitAlike() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> pages = new ArrayList<>();
            for (String name : cluster.names()) {
                try (SecurityApi api = api(name)) {
                    pages.add(api.get("users?limit=1000").body());
                }
            }
            assertThat(pages).containsOnly(pages.getFirst());
        });
    }

    private static int number(SecurityApi api, String user) {
        HttpResponse<String> found;
        try {
            found = api.get(user);
        } catch (UncheckedIOException killed) {
            return -1;
        }
        Matcher number = NUMBER.matcher(found.body());
        return found.statusCode() == 200 && number.find() ? Integer.parseInt(number.group(1)) : -1;
    }

    private static SecurityApi api(String node) {
        return new SecurityApi(cluster.node(node).httpPort(), token);
    }

    private static void expect(int expected, Supplier<HttpResponse<String>> request) {
        HttpResponse<String> answer = request.get();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(expected);
    }

    private static Mqtt5BlockingClient connected(String node, String clientId, String user, String password) {
        Mqtt5BlockingClient client = client(node, clientId);
        connect(client, user, password);
        return client;
    }

    /** The reason code, or -1 when the client was let in. */
    private static int refusal(String node, String clientId, String user, String password) {
        try {
            connect(client(node, clientId), user, password);
            return -1;
        } catch (Mqtt5ConnAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    private static Mqtt5BlockingClient client(String node, String clientId) {
        return Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(cluster.node(node).tcpPort())
                .buildBlocking();
    }

    private static void connect(Mqtt5BlockingClient client, String user, String password) {
        client.connectWith()
                .simpleAuth()
                .username(user)
                .password(password.getBytes(UTF_8))
                .applySimpleAuth()
                .send();
    }
}
