package io.tributary.perf.scenario;

import java.time.Duration;

/**
 * Clients that come and go while they publish.
 *
 * @param every how often each client draws
 * @param disconnect the chance that one which is connected then disconnects
 * @param reconnect the chance that one which is not connects again
 */
public record Churn(Duration every, double disconnect, double reconnect) {

    /** Checks the ranges. */
    public Churn {
        if (!every.isPositive() || disconnect < 0 || disconnect > 1 || reconnect <= 0 || reconnect > 1) {
            throw new ScenarioException("churn: every must be more than 0, chances 0 to 1, reconnect more than 0");
        }
    }
}
