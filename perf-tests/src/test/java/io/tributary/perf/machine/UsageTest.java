package io.tributary.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.ref.Reference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void countsWhatIsWrittenToADisk(@TempDir Path directory) throws Exception {
        long before = Usage.of(SELF).writtenBytes();
        try (FileChannel file =
                FileChannel.open(directory.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(KEPT));
            file.force(true);
        }
        assumeTrue(
                Files.getFileStore(directory).type().matches("ext[234]|xfs|btrfs"), "temporary files are on no disk");
        assertThat(Usage.of(SELF).writtenBytes() - before).isGreaterThanOrEqualTo(KEPT);
    }

    @Test
    void countsWhatIsSentOverLoopback() throws Exception {
        long before = ThisMachine.sentBytes();
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            socket.send(new DatagramPacket(new byte[10_000], 10_000, socket.getLocalSocketAddress()));
        }
        assertThat(ThisMachine.sentBytes() - before).isGreaterThanOrEqualTo(10_000);
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
