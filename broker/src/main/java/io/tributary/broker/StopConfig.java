package io.tributary.broker;

import static io.tributary.common.setting.InvalidSettingException.checkPositive;
import static io.tributary.common.setting.InvalidSettingException.checkWithin;

import io.tributary.broker.relocation.DrainOrder;
import io.tributary.common.setting.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How clients are sent away at a stop.
 *
 * @param drainRate how many are sent away a second, to 1,000,000; 0 for all at once
 * @param longest how long that may take: where there are too many, more are sent away a second
 * @param serverReference where MQTT 5 clients are told to go instead (Server Reference), a UTF-8 string of MQTT that is
 *     not empty, or null for nothing
 */
public record StopConfig(
        int drainRate, Duration longest, @Nullable String serverReference) {

    /** A thousand a second for ten seconds at most, who are told nothing. */
    public static final StopConfig DEFAULT = new StopConfig(1000, Duration.ofSeconds(10), null);

    private static final int LONGEST_BYTES = 65_535;

    public StopConfig {
        checkWithin("drain-rate", drainRate, 0, DrainOrder.MOST_A_SECOND);
        checkPositive("longest", longest);
        if (serverReference != null && !isReference(serverReference)) {
            throw new InvalidSettingException(
                    "server-reference", "'" + serverReference + "' is not 1 to 65,535 bytes of printable text");
        }
    }

    private static boolean isReference(String text) {
        return !text.isBlank()
                && text.getBytes(StandardCharsets.UTF_8).length <= LONGEST_BYTES
                && text.chars().noneMatch(Character::isISOControl);
    }

    /** The defaults, to be changed. */
    public static Builder builder() {
        return new Builder(DEFAULT);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private int drainRate;
        private Duration longest;
        private @Nullable String serverReference;

        private Builder(StopConfig from) {
            drainRate = from.drainRate;
            longest = from.longest;
            serverReference = from.serverReference;
        }

        /** How many connections a second are sent away; 0 for all at once. A broker alone always sends all at once. */
        public Builder drainRate(int value) {
            drainRate = value;
            return this;
        }

        /** How long that may take: where there are too many, more are sent away a second. */
        public Builder longest(Duration value) {
            longest = value;
            return this;
        }

        /** Where MQTT 5 clients are told to go instead; null for nothing. */
        public Builder serverReference(@Nullable String value) {
            serverReference = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public StopConfig build() {
            return new StopConfig(drainRate, longest, serverReference);
        }
    }
}
