package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunnerTest {
    private static final Secret SECRET = Secret.random();

    @Test
    void comesToAnOrchestratorThatStartsAfterIt() throws Exception {
        InetSocketAddress place;
        try (ServerSocket free = new ServerSocket()) {
            free.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            place = new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort());
        }
        CompletableFuture<Void> runner =
                CompletableFuture.runAsync(() -> Runner.work(place, SECRET), Thread::startVirtualThread);
        assertThat(runner).isNotDone();
        try (Runners runners = new Runners(place, SECRET)) {
            runners.await(1, Duration.ofSeconds(60));
        }
        runner.get(60, TimeUnit.SECONDS);
    }
}
