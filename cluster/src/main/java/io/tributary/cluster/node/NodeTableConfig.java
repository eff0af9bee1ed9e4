package io.tributary.cluster.node;

import java.time.Duration;

/**
 * The times of the node table; the same on all nodes.
 *
 * @param heartbeat how often a node writes that it is there; 10 ms to a minute
 * @param suspicion how long a node may be silent before others say that they take it for gone, and its shards go to
 *     others; at least three heartbeats, at most {@code silence}
 * @param silence how long a node may be silent before it is declared dead; at least three heartbeats, at most an hour
 * @param late how long this node's own heartbeat may take to come back; silence of others while it takes longer does
 *     not count. At least 10 ms, and with the heartbeat shorter than the silence
 * @param watch how long a process that finds its own name alive looks on before it takes the name over; at least two
 *     heartbeats, at most an hour
 * @param isolation how long a node that does not read its own heartbeats keeps its clients while there is another one
 *     that it cannot ask whether that is so for all; at least the silence, at most an hour
 */
public record NodeTableConfig(
        Duration heartbeat, Duration suspicion, Duration silence, Duration late, Duration watch, Duration isolation) {
    private static final Duration LONGEST_HEARTBEAT = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final Duration SHORTEST = Duration.ofMillis(10);

    /** A node is suspected after two seconds, and dead after five. */
    public static final NodeTableConfig DEFAULT = new NodeTableConfig(
            Duration.ofMillis(250),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(30));

    public NodeTableConfig {
        check("heartbeat", heartbeat, SHORTEST, LONGEST_HEARTBEAT);
        check("silence", silence, heartbeat.multipliedBy(3), LONGEST);
        check("suspicion", suspicion, heartbeat.multipliedBy(3), silence);
        check("late", late, SHORTEST, LONGEST);
        check("watch", watch, heartbeat.multipliedBy(2), LONGEST);
        check("isolation", isolation, silence, LONGEST);
        if (late.plus(heartbeat).compareTo(silence) >= 0) {
            throw new IllegalArgumentException(
                    "late " + late + " and heartbeat " + heartbeat + ": must be shorter than silence, " + silence);
        }
    }

    /** Throws when a time is not within its limits. */
    static void check(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " " + value + ": must be " + least + " to " + most);
        }
    }
}
