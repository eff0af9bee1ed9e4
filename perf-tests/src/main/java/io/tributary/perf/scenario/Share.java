package io.tributary.perf.scenario;

/**
 * The part of a scenario's clients that one process of the tool runs.
 *
 * @param runner its number, from 0 on
 * @param runners how many there are
 */
public record Share(int runner, int runners) {
    /** All clients. */
    public static final Share ALL = new Share(0, 1);

    /** Checks the numbers. */
    public Share {
        if (runner < 0 || runner >= runners) {
            throw new IllegalArgumentException("runner " + runner + " of " + runners);
        }
    }

    /**
     * Whether a client belongs to it. The two of a pair have the same number and so the same process; members of a
     * shared subscription are all in one, for they are judged together.
     */
    boolean has(int groupNumber, boolean shared, int index) {
        return (shared ? groupNumber : index) % runners == runner;
    }
}
