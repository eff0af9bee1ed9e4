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
 */
public record Sample(
        double second,
        String step,
        double sent,
        double received,
        long connected,
        Map<String, Double> cores,
        Map<String, Double> megabytes) {

    /** Copies the maps. */
    public Sample {
        cores = Map.copyOf(cores);
        megabytes = Map.copyOf(megabytes);
    }
}
