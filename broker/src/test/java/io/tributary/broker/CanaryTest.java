package io.tributary.broker;

import static io.tributary.broker.blackbox.TestTalk.assertNothingMoreComes;
import static io.tributary.broker.blackbox.TestTalk.publish;
import static io.tributary.broker.blackbox.TestTalk.subscribe;
import static io.tributary.broker.blackbox.TestTalk.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.canary.CanaryConfig;
import io.tributary.broker.delivery.NodeView;
import io.tributary.broker.deployment.Deployment;
import io.tributary.broker.deployment.DeploymentSource;
import io.tributary.broker.deployment.Membership;
import io.tributary.broker.embedded.EmbeddedSubscription;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StoredSession;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import io.tributary.common.topic.TopicFilter;
import io.tributary.persistence.rocksdb.StorageRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The canary of a broker alone; that of a cluster is in the module server. */
class CanaryTest {
    private static final Duration FAST = Duration.ofMillis(100);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final List<TestClient> clients = new ArrayList<>();
    private final SwitchedView view = new SwitchedView();

    @TempDir
    private Path data;

    private @Nullable Broker broker;

    private static void often(CanaryConfig.Builder canary) {
        canary.interval(FAST).timeout(Duration.ofSeconds(5));
    }

    @AfterEach
    void stop() {
        clients.forEach(TestClient::close);
        if (broker != null) {
            broker.close();
        }
    }

    @Test
    void brokerIsReadyForTheFirstTimeAfterSomeGoodRounds() {
        Broker started = start(canary -> canary.interval(Duration.ofHours(1)).roundsBeforeReady(7));
        awaitReady(started);
        for (String session : List.of("transient", "persistent")) {
            assertThat(roundTrips(session, "self")).isEqualTo(7);
            assertThat(roundTrips(session, "others")).isZero();
        }
        assertThat(lost()).isZero();
    }

    @Test
    void untilThenItSaysHowFarItIsAndServesClients() throws IOException {
        Broker started = start(canary -> canary.interval(FAST).roundsBeforeReady(1_000));
        await().atMost(PATIENCE).until(() -> roundTrips("persistent", "self") > 3);
        BrokerStatus status = started.status();
        assertThat(status.ready()).isFalse();
        assertThat(status.waitsFor()).matches("canary: [1-9][0-9]* of 1000 rounds: the next is on its way");
        assertThat(status.problem()).isNull();
        TestClient client = connect(started, "a", 0);
        subscribe(client, "t");
        publish(client, "t", "x", false);
        assertThat(take(client)).isEqualTo("t: x");
    }

    @Test
    void whatIsLostKeepsItFromBeingReadyAndOnceReadyItStays() {
        view.isCurrent = false; // nothing that is published is routed
        Broker started = start(canary -> canary.interval(FAST).timeout(SHORT).roundsBeforeReady(3));
        await().atMost(PATIENCE).until(() -> lost() >= 4);
        assertThat(started.status().ready()).isFalse();
        assertThat(started.status().waitsFor())
                .isEqualTo("canary: 0 of 3 rounds: nothing came back from this node through the persistent session,"
                        + " this node through the transient session");
        view.set(true);
        awaitReady(started);
        double before = lost();
        view.set(false);
        await().atMost(PATIENCE).until(() -> lost() > before);
        assertThat(started.status().ready()).isTrue();
        assertThat(started.status().waitsFor()).isNull();
    }

    /** A node that is busy with clients that come back all at once must not stay away for that. */
    @Test
    void roundThatIsLostTakesNoneBack() {
        Broker started = start(canary -> canary.interval(FAST).timeout(SHORT).roundsBeforeReady(1_000));
        await().atMost(PATIENCE).until(() -> roundTrips("persistent", "self") > 3);
        view.set(false);
        await().atMost(PATIENCE).until(() -> lost() > 2);
        assertThat(started.status().waitsFor())
                .matches("canary: [1-9][0-9]* of 1000 rounds: nothing came back from this node through the .*");
    }

    @Test
    void nothingOfItCountsAsUsers() throws Exception {
        Broker started = start(CanaryTest::often);
        awaitReady(started);
        TestClient client = connect(started, "a", 3_600);
        subscribe(client, "t");
        await().atMost(PATIENCE).until(() -> started.status().persistentSessions() > 0); // counted once a second
        awaitMoreRounds();
        awaitMoreRounds();
        BrokerStatus status = started.status();
        assertThat(status.connections()).isEqualTo(1);
        assertThat(status.persistentSessions()).isEqualTo(1);
        assertThat(status.subscriptions()).isEqualTo(1);
        assertThat(status.queuedMessages()).isZero();
        assertThat(status.retainedMessages()).isZero();
        publish(client, "t", "x", false);
        assertThat(take(client)).isEqualTo("t: x");
        awaitMoreRounds();
        assertThat(count("tributary.messages.received")).isEqualTo(1);
        assertThat(count("tributary.messages.delivered")).isEqualTo(1);
        assertThat(count("tributary.messages.dropped")).isZero();
        assertThat(count("tributary.clients.connected")).isEqualTo(1);
        assertThat(count("tributary.connections.opened")).isEqualTo(1);
        assertThat(registry.get("tributary.clients").gauges())
                .extracting(gauge -> gauge.value())
                .containsOnly(1.0, 0.0);
        assertThat(registry.find(BrokerMeters.TENANT_SESSIONS.meterName()).meters())
                .isEmpty();
        assertThat(seen).containsExactly("connected a", "subscribed t", "published t");
    }

    @Test
    void queueThatGrewAndWasDroppedDoesNotCountEither() {
        Broker started = start(canary -> canary.interval(FAST).timeout(SHORT).roundsBeforeReady(1));
        awaitReady(started);
        awaitMoreRounds();
        assertThat(count("tributary.messages.dropped")).isZero();
        assertThat(registry.get("tributary.messages.delivery").timer().count()).isZero();
    }

    @Test
    void noClientSeesAnyOfIt() throws Exception {
        Broker started = start(CanaryTest::often);
        awaitReady(started);
        List<TestClient> readers = new ArrayList<>();
        for (String filter :
                List.of("#", "+/#", "+/+/+/+", "canary/#", "/canary/#", "$share/g/#", "$share/h//canary/#")) {
            TestClient reader = connect(started, "reader" + readers.size(), 0);
            assertThat(subscribe(reader, filter)).isEqualTo(ReasonCode.GRANTED_QOS_1);
            readers.add(reader);
        }
        TestClient sys = connect(started, "sys", 0);
        subscribe(sys, "$SYS/#", QoS.AT_MOST_ONCE);
        awaitMoreRounds();
        for (TestClient reader : readers) {
            assertNothingMoreComes(reader);
        }
        for (int i = 0; i < 40; i++) {
            assertThat(sys.expect(Publish.class).topic()).startsWith("$SYS/").doesNotContain("canary");
        }
    }

    @Test
    void noClientCanTakeItsPlace() throws Exception {
        Broker started = start(CanaryTest::often);
        awaitReady(started);
        for (String id : List.of("canary/persistent/this", "canary/transient/this", "/canary/persistent/this")) {
            TestClient client = connect(started, id, 3_600);
            subscribe(client, id);
            publish(client, id, "x", false);
            assertThat(take(client)).isEqualTo(id + ": x");
        }
        for (String id : List.of("\0\0/canary/persistent/this", "\0/canary/persistent/this")) {
            try (TestClient client = open(started)) {
                client.send(TestClient.connectPacket(ProtocolVersion.MQTT_5, id, 3_600));
                assertThat(client.expect(Connack.class).reason().isError()).isTrue();
            }
        }
        awaitMoreRounds();
        assertThat(lost()).isZero();
    }

    /** What nobody may do, the canary does. */
    @Test
    void noRulesAreAboutIt() {
        broker = Broker.start(
                config(CanaryTest::often),
                BrokerExtensions.builder().authorizer(new Nothing()).build(),
                new BrokerMetrics(registry));
        awaitReady(broker);
        awaitMoreRounds();
        assertThat(lost()).isZero();
    }

    @Test
    void stopLeavesNothingBehind() {
        Broker started = start(CanaryTest::often);
        awaitReady(started);
        awaitMoreRounds();
        started.close();
        try (StandaloneStorage storage =
                StandaloneStorage.open(config(CanaryTest::often), new StorageRecorder() {}, new SteadyClock())) {
            List<String> sessions = new ArrayList<>();
            for (int shard = 0; shard < config(CanaryTest::often).storage().shards(); shard++) {
                storage.store().readSessions(shard, null).toCompletableFuture().join().sessions().stream()
                        .map(StoredSession::clientId)
                        .forEach(sessions::add);
            }
            List<String> subscriptions = new ArrayList<>();
            storage.subscriptions()
                    .follow((key, _) -> subscriptions.add(key))
                    .toCompletableFuture()
                    .join();
            assertThat(sessions).isEmpty();
            assertThat(subscriptions).isEmpty();
        }
    }

    @Test
    void brokerWithoutOneIsReadyAtOnce() {
        assertThat(start(canary -> canary.interval(Duration.ZERO)).status().ready())
                .isTrue();
        assertThat(roundTrips("persistent", "self")).isZero();
    }

    @Test
    void brokerThatWaitsForNoRoundsIsReadyAtOnce() {
        assertThat(start(canary -> canary.interval(FAST).roundsBeforeReady(0))
                        .status()
                        .ready())
                .isTrue();
        await().atMost(PATIENCE).until(() -> roundTrips("persistent", "self") > 3);
    }

    /** Another node may be the one at fault. */
    @Test
    void oneNodeThatDoesNotAnswerKeepsItFromBeingReadyForAWhileOnly() {
        Broker started = startAmong("silent", "without-canary");
        awaitLost("others", 2);
        assertThat(started.status().ready()).isFalse();
        assertThat(started.status().waitsFor())
                .matches("canary: \\d of 10 rounds: nothing came back from silent through the transient session");
        awaitReady(started);
        assertThat(lost("self")).isZero();
    }

    /** It is this node that is at fault, most likely. */
    @Test
    void severalNodesOfWhichNoneAnswersKeepItFromBeingReady() {
        Broker started = startAmong("silent", "silent2");
        awaitLost("others", 2 * 12); // twice as many rounds as patience has
        assertThat(started.status().ready()).isFalse();
        assertThat(started.status().waitsFor()).contains("silent through", "silent2 through");
    }

    private Broker startAmong(String... others) {
        Broker started =
                // Some may be good before the silent ones are there.
                start(canary -> canary.interval(FAST).timeout(SHORT).roundsBeforeReady(10), among(List.of(others)));
        for (String silent : List.of("silent", "silent2")) {
            TopicFilter itsTopic = new TopicFilter(TenantNames.topic("", "canary/transient/" + silent), null);
            AutoCloseable _ = started.serve(new EmbeddedSubscription(itsTopic, QoS.AT_LEAST_ONCE, _ -> {}));
        }
        return started;
    }

    private void awaitLost(String to, int count) {
        await().atMost(PATIENCE).until(() -> lost(to) >= count);
    }

    private double lost(String to) {
        return registry.get(BrokerMeters.CANARY_LOST.meterName()).tags("to", to).functionCounters().stream()
                .mapToDouble(each -> each.count())
                .sum();
    }

    /** Nodes of versions that do not know such names are there. */
    @Test
    void oldFormatIsNoReasonToWait() {
        Broker started = start(canary -> canary.interval(FAST).timeout(SHORT), source("format", new RecordFormat(2)));
        String words = "canary: 0 of 5 rounds: a node is there that knows no canary, by the format of its records";
        await().atMost(PATIENCE).until(() -> words.equals(started.status().waitsFor()));
        awaitReady(started);
        assertThat(roundTrips("persistent", "self") + lost()).isZero();
    }

    private Broker start(Consumer<CanaryConfig.Builder> canary) {
        return start(canary, source("view", view));
    }

    private Broker start(Consumer<CanaryConfig.Builder> canary, DeploymentSource source) {
        BrokerExtensions extensions = BrokerExtensions.builder()
                .publishInterceptor((_, message) -> {
                    seen.add("published " + message.topic());
                    return new Proceed(message);
                })
                .subscribeInterceptor((_, asked) -> {
                    seen.add("subscribed " + asked.filter());
                    return new SubscribeInterceptor.Proceed(asked);
                })
                .clientListener(new ClientListener() {
                    @Override
                    public void onConnected(ClientInfo client, boolean sessionPresent) {
                        seen.add("connected " + client.clientId());
                    }
                })
                .build();
        Broker started = Broker.start(config(canary), extensions, new BrokerMetrics(registry), source);
        broker = started;
        return started;
    }

    private BrokerConfig config(Consumer<CanaryConfig.Builder> canary) {
        return BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .sysInterval(Duration.ofSeconds(1))
                .canary(canary)
                .build();
    }

    /** Alone, but for what one method gives. */
    private DeploymentSource source(String method, Object instead) {
        return (_, _) -> But.one(
                Deployment.class,
                Standalone.open(config(CanaryTest::often), new BrokerMetrics(new SimpleMeterRegistry())),
                method,
                _ -> instead);
    }

    /** Alone, but with the names of others that serve clients. */
    private DeploymentSource among(List<String> others) {
        return (_, _) -> But.one(
                Deployment.class,
                Standalone.open(config(CanaryTest::often), new BrokerMetrics(new SimpleMeterRegistry())),
                "membership",
                alone -> But.one(Membership.class, (Membership) alone.get(), "liveOthers", _ -> others));
    }

    private static void awaitReady(Broker broker) {
        await().atMost(PATIENCE).until(() -> broker.status().ready());
    }

    private void awaitMoreRounds() {
        double before = roundTrips("persistent", "self");
        await().atMost(PATIENCE).until(() -> roundTrips("persistent", "self") > before + 5);
    }

    private long roundTrips(String session, String to) {
        return registry.get(BrokerMeters.CANARY_ROUND_TRIP.meterName())
                .tags("session", session, "to", to)
                .timer()
                .count();
    }

    private double lost() {
        return count(BrokerMeters.CANARY_LOST.meterName());
    }

    private double count(String counter) {
        return registry.get(counter).functionCounters().stream()
                .mapToDouble(each -> each.count())
                .sum();
    }

    private TestClient open(Broker to) throws IOException {
        return TestClient.open(to.listeners().getFirst().address().getPort(), ProtocolVersion.MQTT_5);
    }

    private TestClient connect(Broker to, String clientId, long expirySeconds) throws IOException {
        TestClient client = open(to);
        clients.add(client);
        client.connect(TestClient.connectPacket(ProtocolVersion.MQTT_5, clientId, expirySeconds));
        return client;
    }

    /** A node that knows what the others do, or not. */
    private static final class SwitchedView implements NodeView {
        private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
        private volatile boolean isCurrent = true;

        @Override
        public boolean isCurrent() {
            return isCurrent;
        }

        @Override
        public void onCurrent(Runnable action) {
            waiting.add(action);
            run();
        }

        void set(boolean current) {
            isCurrent = current;
            run();
        }

        private void run() {
            for (Runnable next = isCurrent ? waiting.poll() : null; next != null; next = waiting.poll()) {
                next.run();
            }
        }
    }

    /** Nobody may do anything. */
    private static final class Nothing implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return false;
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return false;
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return false;
        }
    }
}
