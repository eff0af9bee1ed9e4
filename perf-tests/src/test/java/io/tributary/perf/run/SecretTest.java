package io.tributary.perf.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretTest {

    @Test
    void turnsRunnerAwayWhenItHasAnotherSecret() {
        try (Runners runners =
                new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Secret.random())) {
            InetSocketAddress place = new InetSocketAddress(InetAddress.getLoopbackAddress(), runners.port());
            CompletableFuture<Void> stranger = CompletableFuture.runAsync(
                    () -> Runner.work(place, Secret.random(), Runs.SILENT), Thread::startVirtualThread);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> runners.await(1, Duration.ofSeconds(3), Runs.SILENT))
                    .withMessageContaining("only 0 of 1 runners");
            assertThat(stranger).failsWithin(Duration.ofSeconds(30));
        }
    }

    @Test
    void turnsStrangerAwayWhenItAnnouncesLargeMessage() throws Exception {
        try (Runners runners =
                        new Runners(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Secret.random());
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), runners.port())) {
            new DataOutputStream(socket.getOutputStream()).writeInt(Integer.MAX_VALUE);
            assertThatExceptionOfType(RunException.class)
                    .isThrownBy(() -> runners.await(1, Duration.ofSeconds(3), Runs.SILENT));
        }
    }

    @Test
    void refusesWhenSecretIsShort(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("secret"), "short\n");
        assertThatExceptionOfType(RunException.class)
                .isThrownBy(() -> Secret.in(file))
                .withMessageContaining("less than 16 characters");
    }
}
