package io.tributary.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open files of the process, of which each connection is one, as {@link FileDescriptorMetrics} has them. Java
 * counts them by listing them all, which takes 0.3 s with 100,000 connections: so a count is good for a hundred times
 * as long as it took, a minute at most. Any thread.
 */
final class OpenFiles extends FileDescriptorMetrics {
    private static final int TIMES = 100;
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier counter;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private long count;
    private long nextNanos;

    /** Of this process. */
    OpenFiles() {
        this(OpenFiles::ofThisProcess, System::nanoTime);
    }

    OpenFiles(LongSupplier counter, LongSupplier nanoTime) {
        this.counter = counter;
        this.nanoTime = nanoTime;
        nextNanos = nanoTime.getAsLong();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        if (system() == null) {
            return; // as on Windows, where files are not counted
        }
        Gauge.builder("process.files.open", this, OpenFiles::count)
                .description("The open file descriptor count")
                .baseUnit(BaseUnits.FILES)
                .register(registry);
        Gauge.builder("process.files.max", this, _ -> mostFiles())
                .description("The maximum file descriptor count")
                .baseUnit(BaseUnits.FILES)
                .register(registry);
    }

    synchronized long count() {
        long before = nanoTime.getAsLong();
        if (before - nextNanos >= 0) {
            count = counter.getAsLong();
            long after = nanoTime.getAsLong();
            nextNanos = after + Math.min(TIMES * (after - before), LONGEST_NANOS);
        }
        return count;
    }

    private static @Nullable UnixOperatingSystemMXBean system() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix ? unix : null;
    }

    private static long ofThisProcess() {
        UnixOperatingSystemMXBean system = system();
        return system == null ? 0 : system.getOpenFileDescriptorCount();
    }

    private static long mostFiles() {
        UnixOperatingSystemMXBean system = system();
        return system == null ? 0 : system.getMaxFileDescriptorCount();
    }
}
