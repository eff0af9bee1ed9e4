package io.tributary.cluster.link;

import java.time.Duration;

/**
 * Time limits of links.
 *
 * @param heartbeat a node writes at least this often
 * @param silence a link on which nothing has come for so long is closed; at least twice the heartbeat
 * @param maxStall a link whose peer has read nothing for so long, while bytes wait for it, is closed
 * @param handshake how long connecting may take, and then authentication
 */
public record LinkTimings(Duration heartbeat, Duration silence, Duration maxStall, Duration handshake) {

    private static final Duration LONGEST = Duration.ofHours(1);

    /** A peer that is gone is noticed after three seconds. */
    public static final LinkTimings DEFAULT = new LinkTimings(
            Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(10), Duration.ofSeconds(5));

    public LinkTimings {
        if (silence.compareTo(LONGEST) > 0 || maxStall.compareTo(LONGEST) > 0 || handshake.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "silence " + silence + ", maxStall " + maxStall + ", handshake " + handshake + ": at most an hour");
        }
        if (heartbeat.toMillis() < 10) {
            throw new IllegalArgumentException("heartbeat " + heartbeat + ": must be at least 10 ms");
        }
        if (silence.compareTo(heartbeat.multipliedBy(2)) < 0) {
            throw new IllegalArgumentException(
                    "silence " + silence + ": must be at least twice the heartbeat, " + heartbeat);
        }
        if (maxStall.compareTo(heartbeat) < 0 || handshake.toMillis() < 10) {
            throw new IllegalArgumentException("maxStall " + maxStall + ", handshake " + handshake);
        }
    }
}
