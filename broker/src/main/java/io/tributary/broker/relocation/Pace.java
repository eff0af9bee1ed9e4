package io.tributary.broker.relocation;

/** Spreads so many clients a second over steps of a tenth of a second. Not thread-safe. */
final class Pace {
    /** How many steps a second has. */
    static final int STEPS = 10;

    private long owed;

    /**
     * How many may go in the next step.
     *
     * @param perSecond 0 for all at once
     */
    int next(int perSecond) {
        if (perSecond == 0) {
            return Integer.MAX_VALUE;
        }
        owed += perSecond;
        int now = (int) (owed / STEPS);
        owed -= (long) now * STEPS;
        return now;
    }
}
