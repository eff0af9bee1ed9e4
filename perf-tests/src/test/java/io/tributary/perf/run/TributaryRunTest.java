package io.tributary.perf.run;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.network.BoundListener;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.Deliveries;
import io.tributary.perf.result.Distribution;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of every kind against a real broker, which loses nothing. */
class TributaryRunTest {
    @TempDir
    static Path data;

    private static Broker broker;
    private static InetSocketAddress tcp;
    private static InetSocketAddress webSocket;

    @BeforeAll
    static void start() {
        broker = Broker.start(BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .listener(ListenerConfig.builder("ws", 0)
                        .kind(new ListenerKind.WebSocket("/mqtt"))
                        .build())
                .build());
        tcp = address("tcp");
        webSocket = address("ws");
    }

    private static InetSocketAddress address(String name) {
        return broker.listeners().stream()
                .filter(listener -> listener.name().equals(name))
                .map(BoundListener::address)
                .findFirst()
                .orElseThrow();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** The next run at the same broker would cost more, and deliver to those whom nobody knows any more. */
    @AfterEach
    void noSessionIsLeft() {
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(broker.status().persistentSessions()).isZero());
    }

    @ParameterizedTest
    @CsvSource({
        "3.1.1, tcp, 0, false, 1",
        "3.1.1, tcp, 1, true, 2",
        "3.1.1, tcp, 2, true, 1",
        "5, tcp, 2, false, 2",
        "5, ws, 1, true, 1",
    })
    void deliversAllOnceInOrderWhenPairsRunInClosedLoop(
            String version, String transport, int qos, boolean persistent, int threads) {
        RunResult result = run(
                """
                threads: %d
                mqtt: {version: "%s", transport: %s}
                connect: {source-addresses: 3}
                groups:
                  - {name: sub, count: 8, persistent: %s, subscribe: [{filter: "p/{n}/+", qos: %d}]}
                  - {name: pub, count: 8, publish: {topic: "p/{n}/{t}", topics: 2, qos: %d, window: 5, payload: 100}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 100, measured: true}
                  - {name: drain, do: drain}
                """.formatted(threads, version, transport, persistent, qos, qos),
                transport.equals("ws") ? webSocket : tcp);
        assertFaultless(result, 800, 800);
        assertThat(result.steps().getFirst().count(Count.CONNECTED)).isEqualTo(16);
        if (qos > 0) {
            assertThat(Runs.values(result, Metric.PUBLISH)).isEqualTo(800);
        }
    }

    @ParameterizedTest
    @CsvSource({"constant", "poisson", "burst"})
    void deliversAllWhenPublishersKeepRate(String pacing) {
        RunResult result = run("""
                limits: {send-delay: 60s}
                groups:
                  - {name: sub, count: 3, subscribe: [{filter: "r/#", qos: 1}]}
                  - name: pub
                    count: 20
                    publish:
                      {topic: "r/{n}", qos: 1, rate: 100, pacing: %s, payload: {mean: 200, deviation: 50, min: 16}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 25, measured: true}
                  - {name: drain, do: drain}
                """.formatted(pacing), tcp);
        assertFaultless(result, 500, 1_500);
        assertThat(result.count(Count.DUE)).isEqualTo(500);
    }

    /** Messages of many reads, with small ones before and behind them in the same. */
    @Test
    void takesMessagesWholeWhenTheyComeInParts() {
        RunResult result = run("""
                groups:
                  - {name: sub, count: 2, persistent: true, subscribe: [{filter: "l/#", qos: 1}]}
                  - {name: large, count: 1, publish: {topic: "l/l", qos: 1, window: 2, payload: 700000}}
                  - {name: small, count: 1, publish: {topic: "l/s", qos: 1, window: 20, payload: 50}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 50, measured: true}
                  - {name: drain, do: drain}
                """, tcp);
        assertFaultless(result, 100, 200);
        assertThat(result.total()).containsEntry(Count.RECEIVED_BYTES, 2 * 50 * (700_000L + 50));
    }

    @Test
    void countsForGroupWhenSubscriptionIsShared() {
        RunResult result = run("""
                threads: 2
                groups:
                  - {name: members, count: 4, persistent: true, subscribe: [{filter: "$share/g/s/#", qos: 1}]}
                  - {name: pub, count: 10, publish: {topic: "s/{n}", qos: 1, window: 10}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 100, measured: true}
                  - {name: drain, do: drain}
                """, tcp);
        assertFaultless(result, 1_000, 1_000);
    }

    @Test
    void measuresRoundTripWhenServersReply() {
        RunResult result = run("""
                mqtt: {version: 5}
                groups:
                  - {name: servers, count: 1, reply: true, subscribe: [{filter: requests, qos: 1}]}
                  - name: requesters
                    count: 4
                    subscribe: [{filter: "answers/{n}", qos: 1}]
                    publish: {topic: requests, qos: 1, window: 1, response-topic: "answers/{n}"}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 50, measured: true}
                  - {name: drain, do: drain, measured: true}
                """, tcp);
        assertFaultless(result, 200, 400);
        assertThat(Runs.values(result, Metric.ROUND_TRIP)).isEqualTo(200);
        assertThat(Runs.values(result, Metric.END_TO_END)).isEqualTo(200);
    }

    /** Round trips that follow one another take together no longer than the run. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void sendsRequestWhenTheLastOneWasAnswered(int qos) {
        int requests = 500;
        RunResult result = run("""
                mqtt: {version: 5}
                groups:
                  - {name: servers, count: 1, reply: true, subscribe: [{filter: requests, qos: %1$d}]}
                  - name: requester
                    count: 1
                    subscribe: [{filter: "answers/{n}", qos: %1$d}]
                    publish: {topic: requests, qos: %1$d, window: 1, response-topic: "answers/{n}"}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: %2$d, measured: true}
                  - {name: drain, do: drain, measured: true}
                """.formatted(qos, requests), tcp);
        assertThat(Runs.values(result, Metric.ROUND_TRIP)).isEqualTo(requests);
        Distribution roundTrip = requireNonNull(result.measured().times().get(Metric.ROUND_TRIP));
        assertThat(result.measured().seconds() * 1000)
                .as("no two of them at a time")
                .isGreaterThan(0.99 * requests * roundTrip.mean());
    }

    @Test
    void deliversBacklogWhenSubscribersComeBack() {
        RunResult result = run("""
                groups:
                  - {name: sub, count: 4, persistent: true, subscribe: [{filter: "b/{n}", qos: 1}]}
                  - {name: pub, count: 4, publish: {topic: "b/{n}", qos: 1, window: 20}}
                steps:
                  - {name: sessions, do: visit, groups: [sub]}
                  - {name: connect, do: connect, groups: [pub]}
                  - {name: publish, do: publish, groups: [pub], messages: 100}
                  - {name: come back, do: connect, groups: [sub], measured: true}
                  - {name: drain, do: drain, measured: true}
                """, tcp);
        assertFaultless(result, 400, 400);
        StepResult publish = result.steps().get(2);
        assertThat(publish.count(Count.FIRST)).isZero();
        assertThat(publish.secondsToFirst()).isNegative();
        assertThat(result.measured().count(Count.FIRST)).isEqualTo(400);
        assertThat(result.measured().secondsToLast())
                .isGreaterThanOrEqualTo(result.measured().secondsToFirst());
    }

    @Test
    void saysHowManyMessagesCameAfterWhatIsMeasured() {
        RunResult result = run("""
                groups:
                  - {name: sub, count: 2, persistent: true, subscribe: [{filter: "a/{n}", qos: 1}]}
                  - {name: pub, count: 2, publish: {topic: "a/{n}", qos: 1, window: 20}}
                steps:
                  - {name: sessions, do: visit, groups: [sub]}
                  - {name: connect, do: connect, groups: [pub]}
                  - {name: publish, do: publish, groups: [pub], messages: 50, measured: true}
                  - {name: come back, do: connect, groups: [sub]}
                  - {name: drain, do: drain}
                """, tcp);
        assertFaultless(result, 100, 100);
        assertThat(result.remarks())
                .contains(
                        "100 of 100 messages of the measured steps came after these: how long they took is in no distribution.");
    }

    @Test
    void losesNothingWhenPersistentClientsComeAndGo() {
        RunResult result = run("""
                limits: {send-delay: 60s}
                groups:
                  - name: all
                    count: 6
                    persistent: true
                    subscribe: [{filter: "c/#", qos: 2}]
                    publish: {topic: "c/{n}", qos: 2, rate: 50}
                    churn: {every: 100ms, disconnect: 0.3, reconnect: 0.7}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, for: 3s, measured: true}
                  - {name: drain, do: drain}
                """, tcp);
        assertThat(result.count(Count.CONNECTED)).as("some have come back").isGreaterThan(6);
        assertThat(result.lost()).isZero();
        assertThat(result.count(Count.DUPLICATE)).isZero();
        assertThat(result.count(Count.OUT_OF_ORDER)).isZero();
        assertThat(result.count(Count.EXPECTED)).isEqualTo(6 * result.count(Count.SENT));
        assertThat(result.count(Count.UNDECIDED)).isZero();
    }

    @Test
    void connectsAgainWhenAllConnectionsWereCut() {
        RunResult result = run("""
                groups:
                  - {name: idle, count: 50, persistent: true, subscribe: [{filter: "i/{n}", qos: 1}]}
                steps:
                  - {name: storm, do: connect}
                  - {name: cut, do: drop}
                  - {name: again, do: connect, measured: true}
                """, tcp);
        assertThat(result.steps().getFirst().count(Count.CONNECTED)).isEqualTo(50);
        assertThat(result.measured().count(Count.CONNECTED)).isEqualTo(50);
        assertThat(Runs.values(result, Metric.CONNECT)).isEqualTo(50);
        assertThat(result.count(Count.CONNECTION_LOST)).isZero();
    }

    @Test
    void givesSameTotalsWhenFourRunnersShareClients() throws Exception {
        String yaml = """
                groups:
                  - {name: sub, count: 9, persistent: true, subscribe: [{filter: "d/{n}/+", qos: 1}]}
                  - {name: all, count: 2, subscribe: [{filter: "d/#", qos: 1}]}
                  - {name: members, count: 3, subscribe: [{filter: "$share/g/d/#", qos: 1}]}
                  - {name: pub, count: 9, publish: {topic: "d/{n}/x", qos: 1, window: 5}}
                steps:
                  - {name: connect, do: connect}
                  - {name: warm-up, do: publish, messages: 20}
                  - {name: publish, do: publish, messages: 60, measured: true}
                  - {name: drain, do: drain, measured: true}
                """;
        RunResult single = run(yaml, tcp);
        RunResult split = distributed(yaml, 4);
        assertFaultless(single, 720, 720 * 4);
        assertThat(split.deliveries()).isEqualTo(new Deliveries(540 * 4, 540 * 4));
        assertThat(split.runners()).isEqualTo(4);
        assertThat(split.total()).isEqualTo(single.total());
        assertThat(split.lost()).isZero();
        for (Metric metric : List.of(Metric.END_TO_END, Metric.PUBLISH)) {
            assertThat(Runs.values(split, metric)).isEqualTo(Runs.values(single, metric));
        }
    }

    private static RunResult distributed(String yaml, int count) throws Exception {
        Secret secret = Secret.random();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        RunResult result;
        try (Runners runners = new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), secret)) {
            InetSocketAddress place = new InetSocketAddress(InetAddress.getLoopbackAddress(), runners.port());
            IntStream.range(0, count)
                    .forEach(_ -> working.add(CompletableFuture.runAsync(
                            () -> Runner.work(place, secret, Runs.SILENT), Thread::startVirtualThread)));
            runners.await(count, Duration.ofSeconds(60), Runs.SILENT);
            result = Runs.perform(Runs.planned(yaml), tcp, runners);
        }
        CompletableFuture.allOf(working.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        return result;
    }

    private static RunResult run(String yaml, InetSocketAddress address) {
        return Runs.perform(Runs.planned(yaml), address, null);
    }

    private static void assertFaultless(RunResult result, long sent, long delivered) {
        assertThat(result.total())
                .containsAllEntriesOf(Map.of(
                        Count.SENT, sent,
                        Count.ACKNOWLEDGED, sent,
                        Count.EXPECTED, delivered,
                        Count.RECEIVED, delivered,
                        Count.FIRST, delivered,
                        Count.DUPLICATE, 0L,
                        Count.OUT_OF_ORDER, 0L,
                        Count.UNDECIDED, 0L,
                        Count.FOREIGN, 0L));
        assertThat(result.lost()).isZero();
    }
}
