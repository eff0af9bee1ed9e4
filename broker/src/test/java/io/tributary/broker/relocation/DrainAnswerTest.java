package io.tributary.broker.relocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.relocation.Drain.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever is told that a node is drained finds it in the audit log, also when the process is killed then. */
class DrainAnswerTest {
    private static final long PATIENCE_SECONDS = 30;

    private final List<String> actions = new ArrayList<>();
    private final CompletableFuture<@Nullable Void> durable = new CompletableFuture<>();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Drain drain = new Drain(
            "n1",
            new Nobody(),
            (_, _, action, _) -> {
                actions.add(action);
                return durable;
            },
            thread,
            System::nanoTime,
            (_, _) -> {});

    @AfterEach
    void end() {
        thread.shutdownNow();
    }

    @Test
    void answerWaitsForTheAuditLog() throws Exception {
        CompletableFuture<DrainStatus> answer = drain.begin(new DrainOrder(Duration.ofMinutes(1), 1, "ada", "here"))
                .toCompletableFuture();
        thread.submit(() -> {}).get(); // it has begun
        assertThat(drain.status().phase()).isEqualTo(Phase.ANNOUNCED);
        assertThat(answer).isNotDone();
        durable.complete(null);
        assertThat(answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS).phase()).isEqualTo(Phase.ANNOUNCED);
        assertThat(drain.cancel("ada", "here")
                        .toCompletableFuture()
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .phase())
                .isEqualTo(Phase.SERVING);
        assertThat(actions).containsExactly("drain", "undrain");
    }
}
