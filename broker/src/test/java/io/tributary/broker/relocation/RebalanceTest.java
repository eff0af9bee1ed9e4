package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.sys.Announced;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator may ask for, and what another node may say. */
class RebalanceTest {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Rebalance rebalance = new Rebalance(
            new Nobody(), (_, _, _, _) -> CompletableFuture.completedStage(null), thread, () -> false, (_, _) -> {});

    @AfterEach
    void end() {
        thread.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10, 60, rate must be 1 to 1000000",
        "1000001, 10, 60, rate must be 1 to 1000000",
        "1, -1, 60, tolerance must be 0 to 1000",
        "1, 1001, 60, tolerance must be 0 to 1000",
        "1, 10, 0, seconds must be 1 to 86400",
        "1, 10, 86401, seconds must be 1 to 86400"
    })
    void isRefusedAtOnceWhenANumberIsOutOfItsRange(int rate, int tolerance, int seconds, String why) {
        assertThatThrownBy(() -> rebalance.begin(rate, tolerance, Duration.ofSeconds(seconds), "ada", "here"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(why);
        if (rate != 0) {
            assertThat(RebalanceOrder.of(new Announced(false, 1, rate, tolerance, seconds)))
                    .isEqualTo(RebalanceOrder.NONE);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 1", "1000000, 1000, 86400", "0, 0, 0"})
    void isTakenFromAnotherNodeWhenItsNumbersCanBe(int rate, int tolerance, int seconds) {
        assertThat(RebalanceOrder.of(new Announced(false, 1, rate, tolerance, seconds)))
                .isEqualTo(new RebalanceOrder(1, rate, tolerance, seconds));
    }

    @Test
    void failsWhenNoNodeServesClients() {
        assertThat(rebalance.begin(1, 0, Duration.ofSeconds(1), "ada", "here"))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("this node serves no clients at the moment");
    }
}
