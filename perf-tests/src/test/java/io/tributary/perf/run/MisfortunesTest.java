package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.ReasonCode;
import io.tributary.perf.judge.Count;
import io.tributary.perf.judge.Counts;
import io.tributary.perf.report.MarkdownReport;
import io.tributary.perf.result.RunResult;
import io.tributary.perf.result.StepResult;
import io.tributary.perf.run.StubBroker.Faults;
import io.tributary.perf.scenario.Step.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Publishers of a broker that does not do what it should: nothing of it is passed over. */
class MisfortunesTest {
    private static final String PAIRS = """
            mqtt: {version: 5}
            limits: {stall: 5s}
            groups:
              - {name: sub, count: 2, subscribe: [{filter: "t/{n}", qos: 1}]}
              - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, window: 7}}
            steps:
              - {name: connect, do: connect}
              - {name: publish, do: publish, messages: 100, measured: true}
              - {name: drain, do: drain, measured: true}
            """;

    private final StubBroker broker = new StubBroker(Faults.NONE, null);

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    void countsOnceWhatIsDueWhenBrokerDoesNotAcknowledge() {
        broker.answer(_ -> null);
        RunResult result = run("""
                limits: {stall: 500ms}
                groups:
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, rate: 200, in-flight: 5}}
                steps:
                  - {name: connect, do: connect}
                  - {name: warm-up, do: publish, for: 200ms}
                  - {name: measured, do: publish, for: 300ms, measured: true}
                  - {name: drain, do: drain}
                """);
        assertThat(result.count(Count.SENT)).isEqualTo(2 * 5);
        assertThat(result.count(Count.BLOCKED)).isPositive().isEqualTo(result.count(Count.DUE) - 2 * 5);
        StepResult warmUp = result.steps().get(1);
        StepResult measured = result.measured();
        assertThat(measured.count(Count.DUE)).isGreaterThan(measured.count(Count.SENT));
        assertThat(measured.count(Count.BLOCKED)).isPositive();
        assertThat(warmUp.count(Count.DUE) + measured.count(Count.DUE))
                .isLessThanOrEqualTo(2 * (long) (200 * (warmUp.seconds() + measured.seconds()) + 1));
        assertThat(result.remarks()).anySatisfy(remark -> assertThat(remark).contains("did not keep up"));
        assertThat(result.refusals()).noneSatisfy(refusal -> assertThat(refusal).contains("the broker took all"));
    }

    @Test
    void saysHowManyMessagesWereRefusedAndExpectsNothingOfThem() {
        broker.answer(number -> number % 10 == 0 ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.SUCCESS);
        RunResult result = run(PAIRS);
        assertThat(result.lost()).isZero();
        assertThat(result.count(Count.REFUSED)).isEqualTo(20);
        assertThat(result.refused()).isEqualTo(20);
        assertThat(result.remarks())
                .contains("The broker refused 20 messages with a reason code: nothing is expected of them.");
        assertThat(MarkdownReport.of(List.of(result))).contains("| verdict | 20 refused |");
        assertThat(run("may-drop: true\n" + PAIRS).refused())
                .as("where the scenario lets the broker drop some")
                .isZero();
    }

    /** One in ten is lost; what is refused later goes to subscribers who are away. */
    @Test
    void refusedMessagesThatNobodyWasToGetHideNoneThatAreLost() {
        try (StubBroker lossy = new StubBroker(new Faults(3, -1, -1, -1), null)) {
            lossy.answer(number -> number > 200 ? ReasonCode.QUOTA_EXCEEDED : ReasonCode.SUCCESS);
            RunResult result = Runs.perform(Runs.planned("""
                    mqtt: {version: 5}
                    limits: {stall: 500ms}
                    groups:
                      - name: sub
                        count: 2
                        subscribe: [{filter: "t/{n}", qos: 1}]
                        churn: {every: 50ms, disconnect: 1, reconnect: 0.001}
                      - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, rate: 200}}
                    steps:
                      - {name: connect, do: connect}
                      - {name: lossy, do: publish, groups: [pub], messages: 100, measured: true}
                      - {name: refused, do: publish, for: 1s, measured: true}
                      - {name: drain, do: drain, measured: true}
                    """), lossy.address(), null);
            assertThat(result.count(Count.REFUSED)).isGreaterThan(20);
            assertThat(result.count(Count.EXPECTED)).isEqualTo(2 * 100);
            assertThat(result.lost()).isEqualTo(2 * 10);
        }
    }

    @Test
    void comesBackWhenBrokerIsAwayForMoreThanOneAttempt() {
        RunResult result = run("""
                limits: {stall: 30s}
                groups:
                  - {name: sub, count: 2, subscribe: [{filter: "t/{n}", qos: 1}]}
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, rate: 100}}
                steps:
                  - {name: connect, do: connect}
                  - {name: outage, do: publish, for: 1500ms, fault: kill}
                  - {name: back, do: publish, messages: 20, fault: back, measured: true}
                """);
        StepResult outage = result.steps().get(1);
        assertThat(outage.count(Count.DUE)).as("nobody is there to take it").isGreaterThan(outage.count(Count.SENT));
        assertThat(outage.count(Count.BLOCKED)).isPositive();
        assertThat(result.measured().count(Count.SENT)).isEqualTo(2 * 20);
        assertThat(result.count(Count.CONNECTION_LOST)).isEqualTo(4);
        assertThat(result.count(Count.CONNECT_FAILED)).isPositive();
        assertThat(result.remarks()).contains("Connections that the broker, or the network, ended: 4.");
    }

    @Test
    void comeBackAlsoThoseThatComeAndGoWhenBrokerWasAway() {
        RunResult result = run("""
                limits: {stall: 30s}
                groups:
                  - name: pub
                    count: 12
                    publish: {topic: "t/{n}", qos: 1, window: 1}
                    churn: {every: 40ms, disconnect: 0.5, reconnect: 0.9}
                steps:
                  - {name: connect, do: connect}
                  - {name: before, do: publish, for: 300ms}
                  - {name: outage, do: publish, for: 300ms, fault: kill}
                  - {name: back, do: publish, messages: 5, fault: back, measured: true}
                """);
        assertThat(result.count(Count.CONNECT_FAILED)).isPositive();
        assertThat(result.measured().count(Count.SENT)).isEqualTo(12 * 5);
        assertThat(result.remarks()).noneSatisfy(remark -> assertThat(remark).contains("was ended before"));
    }

    @Test
    void endsStepWithMessagesWhenBrokerStaysAway() {
        RunResult result = run("""
                limits: {stall: 500ms}
                groups:
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 1, window: 5}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 20, fault: kill, measured: true}
                  - {name: drain, do: drain}
                """);
        assertThat(result.count(Count.ACKNOWLEDGED)).isLessThan(2 * 20);
        assertThat(result.remarks())
                .contains("Step publish was ended before all of its messages were published and acknowledged.");
    }

    @Test
    void expectsMessageWhenBrokerHasForgottenItsIdentifierAtTheEnd() {
        broker.complete(ReasonCode.PACKET_IDENTIFIER_NOT_FOUND);
        RunResult result = run("""
                mqtt: {version: 5}
                groups:
                  - {name: sub, count: 2, subscribe: [{filter: "t/{n}", qos: 1}]}
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 2, window: 7}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, messages: 50, measured: true}
                  - {name: drain, do: drain, measured: true}
                """);
        assertThat(result.count(Count.REFUSED)).isZero();
        assertThat(result.count(Count.ACKNOWLEDGED)).isEqualTo(2 * 50);
        assertThat(result.count(Count.EXPECTED)).isEqualTo(2 * 50);
        assertThat(result.count(Count.FIRST)).isEqualTo(2 * 50);
    }

    /** The broker has no sessions. */
    @Test
    void sendsNothingOfQos2AgainWhenSessionIsLost() {
        broker.answer(_ -> null);
        RunResult result = run("""
                groups:
                  - {name: pub, count: 2, publish: {topic: "t/{n}", qos: 2, rate: 100, in-flight: 5}}
                steps:
                  - {name: connect, do: connect}
                  - {name: publish, do: publish, for: 300ms}
                  - {name: cut, do: hold, for: 1ms, fault: kill}
                  - {name: back, do: publish, messages: 2, fault: back, measured: true}
                  - {name: drain, do: drain}
                """);
        assertThat(result.count(Count.ABANDONED)).isEqualTo(2 * 5);
        assertThat(result.count(Count.RESENT)).isZero();
        assertThat(result.count(Count.SENT)).isEqualTo(2 * (5 + 2));
        assertThat(result.remarks())
                .anySatisfy(remark -> assertThat(remark)
                        .contains("when their publisher's session ended, and were not sent again: 10."));
    }

    @Test
    void countsMessagesThatComeBeforeTheyAreDue() {
        broker.setAhead();
        RunResult result = run(PAIRS);
        assertThat(result.count(Count.EARLY)).isEqualTo(200);
        assertThat(result.lost()).isZero();
        assertThat(result.remarks())
                .anySatisfy(remark ->
                        assertThat(remark).contains("before they were due").contains("200"));
    }

    @Test
    void saysNothingOfFewMessagesThatCameAfterWhatIsMeasured() {
        StepResult measured = new StepResult(
                "measured",
                10,
                Map.of(
                        Count.EXPECTED, 1_000L,
                        Count.FIRST, 1_000L,
                        Count.EXPECTED_MEASURED, 1_000L,
                        Count.FIRST_MEASURED, 985L),
                Map.of(),
                0,
                10,
                List.of(),
                0,
                0,
                0,
                null);
        assertThat(Incidents.late(measured, 5)).isEmpty();
        assertThat(Incidents.late(measured, 4)).hasSize(1);
    }

    @Test
    void hasASentenceForEachKindOfIncident() {
        List<Count> kinds = List.of(
                Count.REFUSED,
                Count.UNDECIDED,
                Count.EARLY,
                Count.FOREIGN,
                Count.RESENT,
                Count.ABANDONED,
                Count.CONNECTION_LOST,
                Count.CONNECT_FAILED);
        for (Count kind : kinds) {
            assertThat(Incidents.remarks(Counts.of(
                            Map.of(kind, 1_234L, Count.SENT, 1_234L, Count.ACKNOWLEDGED, settles(kind) ? 0L : 1_234L))))
                    .singleElement()
                    .asString()
                    .contains("1,234");
        }
        assertThat(Incidents.remarks(Counts.NONE)).isEmpty();
    }

    /** Whether nobody waits for an acknowledgement of those that it counts. */
    private static boolean settles(Count kind) {
        return kind == Count.REFUSED || kind == Count.ABANDONED;
    }

    /** A broker that is back does all that it should. */
    private RunResult run(String yaml) {
        return Runs.perform(Runs.planned(yaml), broker.address(), null, fault -> {
            broker.away(fault.isOutage());
            if (fault == Fault.BACK) {
                broker.answer(_ -> ReasonCode.SUCCESS);
            }
        });
    }
}
