package io.tributary.perf.result;

import java.util.Map;

/**
 * One moment of a run.
 *
 * @param second since its beginning
 * @param sent messages a second since the sample before
 * @param received messages a second
 * @param connected clients that were connected, over time
 * @param cores that each process kept busy
 * @param megabytes of memory that each process had
 * @param heapMegabytes of a JVM, the old generation of its heap after its latest collection; without processes of which
 *     nobody knows it, as in the following
 * @param threads that each process had
 * @param files that each process had open
 * @param counts what the target counts itself, by name
 */
public record Sample(
        double second,
        String step,
        double sent,
        double received,
        long connected,
        Map<String, Double> cores,
        Map<String, Double> megabytes,
        Map<String, Double> heapMegabytes,
        Map<String, Integer> threads,
        Map<String, Integer> files,
        Map<String, Long> counts) {

    /** Copies the maps. */
    public Sample {
        cores = Map.copyOf(cores);
        megabytes = Map.copyOf(megabytes);
        heapMegabytes = Map.copyOf(heapMegabytes);
        threads = Map.copyOf(threads);
        files = Map.copyOf(files);
        counts = Map.copyOf(counts);
    }
}
