package io.tributary.broker.canary;

import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.common.setting.InvalidSettingException;
import java.time.Duration;

/**
 * How often a node's canary sends its messages, and what it has to see before the node is ready for the first time.
 *
 * @param interval the time from one round to the next; zero for no canary
 * @param timeout how long messages may take to come back before they count as lost
 * @param roundsBeforeReady how many good rounds make the node ready for the first time; 0 to wait for none
 */
public record CanaryConfig(Duration interval, Duration timeout, int roundsBeforeReady) {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST_ROUNDS = 1_000;

    /** No canary. */
    public static final CanaryConfig OFF = new CanaryConfig(Duration.ZERO, Duration.ofSeconds(5), 5);

    /** Checks the ranges. */
    public CanaryConfig {
        if (!interval.isZero() && !isWithin(interval)) {
            throw new InvalidSettingException(
                    "interval", interval + " is neither 0.1 s to 1 h nor zero, for no canary");
        }
        if (!isWithin(timeout)) {
            throw new InvalidSettingException("timeout", timeout + " is not 0.1 s to 1 h");
        }
        checkWithin("rounds-before-ready", roundsBeforeReady, 0, MOST_ROUNDS);
    }

    private static boolean isWithin(Duration value) {
        return value.compareTo(SHORTEST) >= 0 && value.compareTo(LONGEST) <= 0;
    }

    /** Whether there is no canary. */
    public boolean isOff() {
        return interval.isZero();
    }

    /** {@link #OFF}, to be changed. */
    public static Builder builder() {
        return new Builder(OFF);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private Duration interval;
        private Duration timeout;
        private int roundsBeforeReady;

        private Builder(CanaryConfig from) {
            interval = from.interval;
            timeout = from.timeout;
            roundsBeforeReady = from.roundsBeforeReady;
        }

        /** The time from one round to the next, 100 ms to an hour; zero for no canary. */
        public Builder interval(Duration value) {
            interval = value;
            return this;
        }

        /** How long messages may take to come back before they count as lost, 100 ms to an hour. */
        public Builder timeout(Duration value) {
            timeout = value;
            return this;
        }

        /** How many good rounds make the node ready for the first time; 0 to wait for none. */
        public Builder roundsBeforeReady(int value) {
            roundsBeforeReady = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public CanaryConfig build() {
            return new CanaryConfig(interval, timeout, roundsBeforeReady);
        }
    }
}
