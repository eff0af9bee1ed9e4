package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerStatus;
import io.tributary.broker.MemoryUse;
import io.tributary.broker.relocation.Drain.Phase;
import io.tributary.broker.relocation.DrainStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentAnswerTest {
    private final AtomicLong nanos = new AtomicLong();
    private BrokerStatus status = status(true, null);
    private Phase phase = Phase.SERVING;
    private double processors;
    private Duration lag = Duration.ZERO;
    private final AgentAnswer answer = new AgentAnswer(
            () -> status,
            () -> new DrainStatus("n", phase, null, 0, 0, 0, "", null),
            () -> processors,
            () -> lag,
            nanos::get);

    @ParameterizedTest
    @CsvSource({"0, 0, 100", "0.2, 0, 85", "1, 0, 25", "0, 20, 50", "1, 60, 6", "-1, 0, 100", "0, 100000, 1"})
    void weightIsTheSmallerTheBusierTheBrokerIs(double used, long lagMillis, int weight) {
        processors = used;
        lag = Duration.ofMillis(lagMillis);
        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        assertThat(answer.get()).isEqualTo("ready up " + weight + "%");
    }

    @Test
    void weightFollowsInHalfAMinute() {
        processors = 1;
        assertThat(answer.get()).isEqualTo("ready up 100%");
        nanos.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(answer.get()).isEqualTo("ready up 93%");
        nanos.addAndGet(Duration.ofSeconds(27).toNanos());
        assertThat(answer.get()).isEqualTo("ready up 53%");
        nanos.addAndGet(Duration.ofMinutes(10).toNanos());
        assertThat(answer.get()).isEqualTo("ready up 25%");
    }

    @Test
    void nobodyIsSentWhenItIsDrainedOrNotReady() {
        phase = Phase.ANNOUNCED;
        assertThat(answer.get()).isEqualTo("drain");
        phase = Phase.SERVING;
        status = status(false, null);
        assertThat(answer.get()).isEqualTo("down");
        status = status(true, "the disk is full");
        assertThat(answer.get()).isEqualTo("down");
    }

    private static BrokerStatus status(boolean ready, @Nullable String problem) {
        return new BrokerStatus(
                ready,
                null,
                problem,
                List.of(),
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                0,
                0,
                MemoryUse.NONE,
                0,
                0,
                List.of(),
                null);
    }
}
