package io.tributary.perf.scenario;

import java.time.Duration;

/**
 * How connections are made.
 *
 * @param rate connections a second
 * @param pending how many may be on their way at once
 * @param sourceAddresses how many addresses of the loopback interface they come from
 * @param timeout the longest that one may take
 */
public record ConnectOptions(double rate, int pending, int sourceAddresses, Duration timeout) {

    /** Checks the ranges. */
    public ConnectOptions {
        if (rate <= 0 || pending < 1 || sourceAddresses < 1 || sourceAddresses > 250 || !timeout.isPositive()) {
            throw new ScenarioException(
                    "connect: rate, pending and timeout must be more than 0," + " source-addresses 1 to 250");
        }
    }
}
