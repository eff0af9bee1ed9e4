package io.tributary.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Timers of a thread of the tool. */
class TimerSlackTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void aThreadAsksForTheLeastAndOthersKeepTheirs() throws Exception {
        String before = Files.readString(TimerSlack.ofThisThread());
        CompletableFuture<String> inThread = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                assertThat(TimerSlack.minimize()).isTrue();
                inThread.complete(Files.readString(TimerSlack.ofThisThread()));
            } catch (Exception | AssertionError e) {
                inThread.completeExceptionally(e);
            }
        });
        assertThat(inThread.get(10, TimeUnit.SECONDS).strip()).isEqualTo("1");
        assertThat(Files.readString(TimerSlack.ofThisThread())).isEqualTo(before);
    }
}
