package io.tributary.server.blackbox.hostile;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** How long some things took, as people want to read it. */
final class Latencies {
    private final List<Long> sorted;

    /** Of so many nanoseconds each. */
    Latencies(Collection<Long> nanos) {
        sorted = nanos.stream().sorted().toList();
    }

    /** Count, median, 99th percentile and longest. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%,d: %.2f / %.2f / %.1f ms", sorted.size(), millis(0.5), millis(0.99), millis(1));
    }

    private double millis(double part) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.round(part * (sorted.size() - 1))) / 1e6;
    }
}
