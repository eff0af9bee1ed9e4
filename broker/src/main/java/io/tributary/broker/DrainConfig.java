package io.tributary.broker;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How clients are sent away at a stop.
 *
 * @param connectionsPerSecond how many are sent away a second; 0 for all at once
 * @param longest how long that may take: where there are too many, more are sent away a second
 * @param serverReference where MQTT 5 clients are told to go instead (Server Reference), a UTF-8 string of MQTT that is
 *     not empty, or null for nothing
 */
public record DrainConfig(
        int connectionsPerSecond,
        Duration longest,
        @Nullable String serverReference) {

    /** A thousand a second for ten seconds at most, who are told nothing. */
    public static final DrainConfig DEFAULT = new DrainConfig(1000, Duration.ofSeconds(10), null);

    private static final int LONGEST_BYTES = 65_535;

    public DrainConfig {
        if (connectionsPerSecond < 0) {
            throw new IllegalArgumentException(
                    "connections a second " + connectionsPerSecond + ": must not be negative");
        }
        if (!longest.isPositive()) {
            throw new IllegalArgumentException("longest " + longest + ": must be positive");
        }
        if (serverReference != null && !isReference(serverReference)) {
            throw new IllegalArgumentException(
                    "server reference '" + serverReference + "': must be 1 to 65,535 bytes of printable text");
        }
    }

    private static boolean isReference(String text) {
        return !text.isBlank()
                && text.getBytes(StandardCharsets.UTF_8).length <= LONGEST_BYTES
                && text.chars().noneMatch(Character::isISOControl);
    }
}
