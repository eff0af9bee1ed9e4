package io.tributary.broker.sys;

import java.util.Locale;

/**
 * How much a counter grows per minute: moving averages over about 1, 5 and 15 minutes, in which the past fades
 * exponentially, as in the load averages of Unix. One thread.
 */
final class LoadAverage {
    /** What the averages are called in topics. */
    static final String[] NAMES = {"1min", "5min", "15min"};

    private static final double[] MINUTES = {1, 5, 15};
    private static final double SECONDS_A_MINUTE = 60;

    private final double[] averages = new double[MINUTES.length];
    private long lastCount;

    /** Takes in where the counter stands after the given time. */
    void update(long count, double seconds) {
        double perMinute = (count - lastCount) * SECONDS_A_MINUTE / seconds;
        lastCount = count;
        for (int i = 0; i < averages.length; i++) {
            double fading = Math.exp(-seconds / (MINUTES[i] * SECONDS_A_MINUTE));
            averages[i] = averages[i] * fading + perMinute * (1 - fading);
        }
    }

    /** One of the averages with two decimals. */
    String text(int index) {
        return String.format(Locale.ROOT, "%.2f", averages[index]);
    }
}
