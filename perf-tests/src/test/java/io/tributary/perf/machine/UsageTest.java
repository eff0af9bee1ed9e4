package io.tributary.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static final long SELF = ProcessHandle.current().pid();
    private static final int KEPT = 64 << 20;

    @Test
    void isWhatProcessHasWhenItRuns() {
        Usage usage = Usage.of(SELF);
        assertThat(usage.cpuNanos()).isPositive();
        assertThat(usage.rssBytes()).isGreaterThan(1 << 20);
        assertThat(usage.threads()).isGreaterThan(3);
        assertThat(usage.files()).isGreaterThan(3);
    }

    @Test
    void hasWhatSurvivedWhenThereWasCollection() {
        byte[] kept = new byte[KEPT];
        try {
            System.gc();
            assertThat(Usage.of(SELF).heapBytes())
                    .isGreaterThanOrEqualTo(KEPT)
                    .isLessThan(Runtime.getRuntime().maxMemory());
        } finally {
            Reference.reachabilityFence(kept);
        }
    }

    @Test
    void isNothingWhenThereIsNoSuchProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        assertThat(Usage.of(process.pid())).isEqualTo(Usage.NONE);
    }

    @Test
    void hasNoHeapWhenProcessIsNoJvm() throws Exception {
        Process process = new ProcessBuilder("cat").start();
        try {
            assertThat(Usage.of(process.pid()).heapBytes()).isZero();
        } finally {
            process.getOutputStream().close();
        }
    }

    @Test
    void hasNoHeapWhenFileIsOfAnotherKind() {
        ByteBuffer text = ByteBuffer.wrap("this is no file of counters, but text".getBytes(StandardCharsets.UTF_8));
        assertThat(JvmHeap.counter(text, "any")).isZero();
    }
}
