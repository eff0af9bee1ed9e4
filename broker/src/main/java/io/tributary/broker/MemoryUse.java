package io.tributary.broker;

/**
 * How much of the memory is taken that something may take.
 *
 * @param bytes how much is
 * @param mostBytes how much may be
 */
public record MemoryUse(long bytes, long mostBytes) {
    /** Nothing of nothing. */
    public static final MemoryUse NONE = new MemoryUse(0, 0);
}
