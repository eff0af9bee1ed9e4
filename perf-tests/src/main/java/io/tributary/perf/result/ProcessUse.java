package io.tributary.perf.result;

/**
 * What a process took in a step.
 *
 * @param cpuSeconds of all its threads, in the kernel too
 * @param rssBeginMegabytes its memory, as the system counts it, at the beginning of the step
 * @param threads at the end
 * @param files open ones, at the end
 */
public record ProcessUse(
        String name, double cpuSeconds, double rssBeginMegabytes, double rssEndMegabytes, int threads, int files) {}
