package io.tributary.perf.run;

import io.tributary.perf.result.Sample;
import java.util.Map;

/** What must not grow while the load stays the same, and what counts as growth. */
enum Quantity {
    /** As the system counts it. A JVM's grows for a while without harm: heap that was not touched before. */
    MEMORY("memory", "MB", 32, 16),
    /** What has survived collections. */
    HEAP("old generation of the heap", "MB", 16, 8),
    /** All kinds. */
    THREADS("threads", "", 2, 2),
    /** Sockets too. */
    FILES("open files", "", 6, 4),
    /** What the target counts itself, such as keys of Redis. */
    COUNT("", "", 60, 20);

    private final String words;
    private final String unit;
    private final double limitPerHour;
    private final double leastRise;

    Quantity(String words, String unit, double limitPerHour, double leastRise) {
        this.words = words;
        this.unit = unit;
        this.limitPerHour = limitPerHour;
        this.leastRise = leastRise;
    }

    /** What it is called of a process, or whatever has it. */
    String of(String owner) {
        return words.isEmpty() ? owner : owner + ": " + words;
    }

    /** What its values are in; empty for a number of things. */
    String unit() {
        return unit;
    }

    /** What it may rise by in an hour. */
    double limitPerHour() {
        return limitPerHour;
    }

    /** A smaller rise is noise, whatever it would be an hour. */
    double leastRise() {
        return leastRise;
    }

    /** The values at one moment, by process or whatever has it; without what nobody knows. */
    Map<String, ? extends Number> values(Sample sample) {
        return switch (this) {
            case MEMORY -> sample.megabytes();
            case HEAP -> sample.heapMegabytes();
            case THREADS -> sample.threads();
            case FILES -> sample.files();
            case COUNT -> sample.counts();
        };
    }
}
