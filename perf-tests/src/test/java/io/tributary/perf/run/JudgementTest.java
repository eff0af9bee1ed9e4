package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.StubBroker.Faults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The load tool against a broker that makes a known number of mistakes: it must find each. */
class JudgementTest {
    private static final long PAIRS = 5;
    private static final long MESSAGES = 200;

    @ParameterizedTest
    @CsvSource({"0, 3.1.1", "1, 3.1.1", "0, 5", "1, 5"})
    void findsNothingWhenBrokerIsFaultless(int qos, String version) {
        try (StubBroker broker = new StubBroker(Faults.NONE, null)) {
            RunResult result = run(broker, qos, version, "tcp");
            assertThat(result.count(Count.SENT)).isEqualTo(PAIRS * MESSAGES);
            assertThat(result.count(Count.ACKNOWLEDGED)).isEqualTo(PAIRS * MESSAGES);
            assertThat(result.count(Count.FIRST)).isEqualTo(PAIRS * MESSAGES);
            assertThat(result.lost()).isZero();
            assertThat(result.count(Count.DUPLICATE)).isZero();
            assertThat(result.count(Count.OUT_OF_ORDER)).isZero();
            assertThat(Runs.values(result, Metric.END_TO_END)).isEqualTo(PAIRS * MESSAGES);
        }
    }

    @Test
    void countsEachMistakeWhenBrokerDropsRepeatsAndSwaps() {
        long tenth = PAIRS * MESSAGES / 10;
        try (StubBroker broker = new StubBroker(new Faults(0, 2, 4, 6), null)) {
            RunResult result = run(broker, 1, "3.1.1", "tcp");
            assertThat(result.lost()).isEqualTo(tenth);
            assertThat(result.sourcesLosing()).isEqualTo(PAIRS);
            assertThat(result.sourcesWithLoss()).contains("pub on t/0: 20 lost");
            assertThat(result.count(Count.DUPLICATE)).isEqualTo(2 * tenth);
            assertThat(result.count(Count.DUPLICATE_FLAGGED)).isEqualTo(tenth);
            assertThat(result.count(Count.OUT_OF_ORDER)).isEqualTo(tenth);
            assertThat(result.count(Count.UNDECIDED)).isZero();
            assertThat(result.count(Count.FOREIGN)).isZero();
        }
    }

    @Test
    void measuresEachOfTwoStepsThatAreEqual() {
        try (StubBroker broker = new StubBroker(Faults.NONE, null)) {
            RunResult result = Runs.perform(Runs.planned("""
                    groups:
                      - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, rate: 200}}
                    steps:
                      - {name: connect, do: connect}
                      - {name: warm-up, do: publish, for: 100ms}
                      - {name: measured, do: publish, for: 200ms, measured: true}
                      - {name: pause, do: hold, for: 1ms}
                      - {name: measured, do: publish, for: 200ms, measured: true}
                    """), broker.address(), null);
            assertThat(result.steps().get(2).count(Count.SENT)).isPositive();
            assertThat(result.steps().get(4).count(Count.SENT)).isPositive();
        }
    }

    /** All messages but the first of each of three subscribers follow another; those of the alarms stand aside. */
    @Test
    void measuresChangesOfTimesAndThoseAsideWhenAsked() {
        try (StubBroker broker = new StubBroker(Faults.NONE, null)) {
            RunResult result = Runs.perform(Runs.planned("""
                limits: {stall: 5s}
                groups:
                  - {name: sub, count: 3, jitter: true, subscribe: [{filter: "t/{n}"}, {filter: "alarm/{n}"}]}
                  - {name: pub, count: 3, publish: {topic: "t/{n}", window: 7, payload: 40}}
                  - {name: alarms, count: 3, aside: true, publish: {topic: "alarm/{n}", window: 1, payload: 40}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 20, measured: true}
                  - {name: drain, do: drain, measured: true}
                """), broker.address(), null);
            assertThat(Runs.values(result, Metric.END_TO_END)).isEqualTo(60);
            assertThat(Runs.values(result, Metric.ASIDE)).isEqualTo(60);
            assertThat(Runs.values(result, Metric.JITTER)).isEqualTo(120 - 3);
        }
    }

    @Test
    void doesNotStandStillWhenQos0IsLostInClosedLoop() {
        try (StubBroker broker = new StubBroker(new Faults(0, -1, -1, -1), null)) {
            RunResult result = run(broker, 0, "3.1.1", "tcp");
            assertThat(result.count(Count.SENT)).isEqualTo(PAIRS * MESSAGES);
            assertThat(result.lost()).isEqualTo(PAIRS * MESSAGES / 10);
        }
    }

    @Test
    void connectsWhenEncrypted() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .subject("CN=localhost")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        SslContext tls = SslContextBuilder.forServer(
                        certificate.getKeyPair().getPrivate(), certificate.getCertificatePath())
                .build();
        try (StubBroker broker = new StubBroker(Faults.NONE, tls)) {
            assertThat(run(broker, 1, "5", "tls").count(Count.FIRST)).isEqualTo(PAIRS * MESSAGES);
        }
    }

    private static RunResult run(StubBroker broker, int qos, String version, String transport) {
        String yaml = """
                mqtt: {version: "%s", transport: %s}
                limits: {stall: 5s}
                groups:
                  - {name: sub, count: 5, subscribe: [{filter: "t/{n}", qos: %d}]}
                  - {name: pub, count: 5, publish: {topic: "t/{n}", qos: %d, window: 7, payload: 40}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 200, measured: true}
                  - {name: drain, do: drain, measured: true}
                """.formatted(version, transport, qos, qos);
        return Runs.perform(Runs.planned(yaml), broker.address(), null);
    }
}
