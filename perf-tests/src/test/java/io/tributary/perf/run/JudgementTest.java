package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Metric;
import io.tributary.perf.paper.Figure;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.result.Deliveries;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.run.StubBroker.Faults;
import io.tributary.perf.scenario.PlannedRun;
import java.util.List;
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

    /** Of 30 messages of the warm-up 3 are lost, and 27 come in the measured step, in which 20 of 200 are lost. */
    @Test
    void tellsWhatWasLostOfMeasuredStepWhenWarmUpComesInIt() {
        try (StubBroker broker = new StubBroker(new Faults(0, -1, -1, -1), null)) {
            broker.holdBack(30);
            RunResult result = Runs.perform(Runs.planned("""
                    limits: {stall: 500ms}
                    groups:
                      - {name: sub, count: 2, subscribe: [{filter: "t/{n}", qos: 1}]}
                      - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, window: 7}}
                    steps:
                      - {name: connect, do: connect}
                      - {name: warm-up, do: publish, messages: 30}
                      - {name: measured, do: publish, messages: 200, measured: true}
                      - {name: drain, do: drain}
                    """), broker.address(), null);
            assertThat(result.measured().count(Count.EXPECTED)).isEqualTo(2 * 200);
            assertThat(result.brief().count(Count.FIRST)).isEqualTo(2 * (27 + 180));
            assertThat(result.deliveries()).isEqualTo(new Deliveries(2 * 200, 2 * 180));
            assertThat(result.brief().deliveries()).isEqualTo(result.deliveries());
            assertThat(Figure.DELIVERY.of(result.brief())).isEqualTo(90);
            assertThat(result.lost()).isEqualTo(2 * 23);
            assertThat(result.lostOfMeasured()).isEqualTo(2 * 20);
            assertThat(MarkdownReport.of(List.of(result)))
                    .contains(
                            "46 messages lost in the whole run: 40 that were published in the measured steps, and 6 in"
                                    + " others, such as a warm-up. Of 2 publishers' topics:");
        }
    }

    /** Five of the warm-up are sent again as 6 to 10, of which three are refused; those of the measured step follow. */
    @Test
    void expectsOnlyWhatWasPublishedInMeasuredStepWhenWarmUpIsSentAgainInIt() {
        try (StubBroker broker = new StubBroker(Faults.NONE, null)) {
            broker.answer(_ -> null);
            PlannedRun planned = Runs.planned("""
                    mqtt: {version: 5}
                    limits: {stall: 500ms}
                    groups:
                      - {name: sub, count: 1, subscribe: [{filter: "t/{n}", qos: 1}]}
                      - {name: pub, count: 1, publish: {topic: "t/{n}", qos: 1, rate: 100, in-flight: 5}}
                    steps:
                      - {name: connect, do: connect}
                      - {name: warm-up, do: publish, for: 300ms}
                      - {name: cut, do: hold, for: 1ms, fault: kill, measured: true}
                      - {name: back, do: publish, messages: 20, fault: back, measured: true}
                      - {name: drain, do: drain}
                    """);
            RunResult result = Runs.perform(planned, broker.address(), null, fault -> {
                broker.away(fault.isOutage());
                broker.answer(number -> number >= 8 && number <= 14 ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.SUCCESS);
            });
            assertThat(result.count(Count.RESENT)).isEqualTo(5);
            assertThat(result.count(Count.REFUSED)).isEqualTo(7);
            assertThat(result.count(Count.EXPECTED)).isEqualTo(25 - 7);
            assertThat(result.deliveries().expected()).isEqualTo(20 - 4);
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
