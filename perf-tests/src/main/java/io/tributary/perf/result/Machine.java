package io.tributary.perf.result;

/**
 * Where a run took place.
 *
 * @param cores of the machine, whether the tool may use them or not
 * @param memoryMegabytes of the machine
 * @param java the tool's
 */
public record Machine(String processor, int cores, long memoryMegabytes, String system, String java) {}
