package io.tributary.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a process has taken up to now.
 *
 * @param cpuNanos the processor time of all its threads, with the kernel's; in steps of 10 ms
 * @param rssBytes its memory at present, as the system counts it; 0 where nobody says
 * @param threads how many it has; 0 where nobody says
 * @param files how many it has open; 0 where nobody says
 * @param heapBytes of a JVM, what the old generation of its heap had after its latest collection; 0 where nobody says
 * @param writtenBytes what it has caused to be written to a disk, now or later; {@link #UNKNOWN} where nobody says
 * @param sentBytes what it has sent over any network; {@link #UNKNOWN} where nobody says
 * @param isElsewhere whether it may be on another machine
 */
public record Usage(
        long cpuNanos,
        long rssBytes,
        int threads,
        int files,
        long heapBytes,
        long writtenBytes,
        long sentBytes,
        boolean isElsewhere) {
    /** What nobody says. */
    public static final long UNKNOWN = -1;

    /** Of a process that is not there. */
    public static final Usage NONE = new Usage(0, 0, 0, 0, 0, UNKNOWN, UNKNOWN, false);

    /** Of a process that has done nothing yet. */
    public static final Usage NEW = new Usage(0, 0, 0, 0, 0, 0, 0, false);

    private static final long TICK_NANOS = 10_000_000;
    private static final String RESIDENT = "VmRSS:";

    /** The same of a process that may be on another machine than this one. */
    public Usage elsewhere() {
        return new Usage(cpuNanos, rssBytes, threads, files, heapBytes, writtenBytes, sentBytes, true);
    }

    /** Of a process by its identifier: from {@code /proc}, and elsewhere as far as Java knows. */
    public static Usage of(long pid) {
        Path directory = Path.of("/proc", Long.toString(pid));
        try {
            return ofLinux(directory, JvmHeap.oldGenerationBytes(pid));
        } catch (IOException e) {
            Optional<Duration> cpu =
                    ProcessHandle.of(pid).flatMap(process -> process.info().totalCpuDuration());
            return cpu.map(time -> new Usage(time.toNanos(), 0, 0, 0, 0, UNKNOWN, UNKNOWN, false))
                    .orElse(NONE);
        }
    }

    private static Usage ofLinux(Path directory, long heapBytes) throws IOException {
        String stat = Files.readString(directory.resolve("stat"));
        // Its name may have spaces and brackets in it; what follows the last bracket is state, parent, ...
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        return new Usage(
                ticks * TICK_NANOS,
                resident(directory),
                Integer.parseInt(fields[17]),
                openFiles(directory),
                heapBytes,
                written(directory),
                UNKNOWN,
                false);
    }

    /** With what was deleted before a disk had it; not known of another user's process. */
    private static long written(Path directory) {
        String bytes = ThisMachine.fromProc(directory.getFileName() + "/io", "write_bytes");
        return bytes.equals(ThisMachine.NOT_SAID) ? UNKNOWN : Long.parseLong(bytes);
    }

    private static long resident(Path directory) throws IOException {
        return Files.readAllLines(directory.resolve("status")).stream()
                .filter(line -> line.startsWith(RESIDENT))
                .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
    }

    private static int openFiles(Path directory) {
        Path folder = directory.resolve("fd");
        try {
            long size = Files.size(folder); // their number, since Linux 6.2
            if (size > 0) {
                return (int) size;
            }
        } catch (IOException e) {
            return 0; // it is gone
        }
        try (Stream<Path> files = Files.list(folder)) {
            return (int) files.count();
        } catch (IOException e) {
            return 0; // of another user
        }
    }
}
