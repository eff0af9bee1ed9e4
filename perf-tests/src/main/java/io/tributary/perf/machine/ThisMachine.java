package io.tributary.perf.machine;

import io.tributary.perf.result.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The machine that this process runs on. */
public final class ThisMachine {
    private static final long TICK_NANOS = 10_000_000;
    /** What a file of {@code /proc} that cannot be read says. */
    static final String NOT_SAID = "unknown";

    private ThisMachine() {}

    /** What it is. */
    public static Machine describe() {
        return new Machine(
                fromProc("cpuinfo", "model name"),
                processors(),
                memoryMegabytes(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vendor") + " " + System.getProperty("java.version"));
    }

    /** Those whose time {@link #busyNanos} counts: all of the machine, of which this process may be denied some. */
    private static int processors() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            int listed = processors(lines);
            return listed == 0 ? Runtime.getRuntime().availableProcessors() : listed;
        } catch (IOException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }

    /** The processors that the lines of {@code /proc/stat} are about. */
    static int processors(Stream<String> stat) {
        return (int) stat.filter(line -> line.matches("cpu\\d+ .*")).count();
    }

    /** The time that all its processors together were busy with anything, in nanoseconds; 0 where nobody says. */
    public static long busyNanos() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            String[] fields = lines.findFirst().orElse("").split(" +", -1);
            long ticks = 0;
            // user nice system idle iowait irq softirq steal
            for (int i = 1; i <= 8; i++) {
                ticks += i == 4 || i == 5 ? 0 : Long.parseLong(fields[i]);
            }
            return ticks * TICK_NANOS;
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * What all its network interfaces together have sent, in bytes, what processes of this machine tell each other
     * (loopback) included; {@link Usage#UNKNOWN} where nobody says.
     */
    public static long sentBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/dev"))) {
            // name: received bytes packets errs drop fifo frame compressed multicast, sent bytes ...
            return lines.filter(line -> line.contains(":"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip().split(" +", -1))
                    .mapToLong(fields -> Long.parseLong(fields[8]))
                    .sum();
        } catch (IOException e) {
            return Usage.UNKNOWN;
        }
    }

    private static long memoryMegabytes() {
        String kilobytes = fromProc("meminfo", "MemTotal").replaceAll("[^0-9]", "");
        return kilobytes.isEmpty() ? 0 : Long.parseLong(kilobytes) / 1024;
    }

    /** What a line {@code KEY: VALUE} says, or {@link #NOT_SAID}. */
    static String fromProc(String file, String key) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", file))) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(NOT_SAID);
        } catch (IOException | UncheckedIOException e) {
            return NOT_SAID;
        }
    }

    /** Whether an address is none of this machine's, as far as they are known. */
    public static boolean isElsewhere(InetAddress address) {
        try {
            return !address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) == null;
        } catch (SocketException e) {
            return true;
        }
    }
}
