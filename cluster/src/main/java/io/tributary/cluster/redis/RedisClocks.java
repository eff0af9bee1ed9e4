package io.tributary.cluster.redis;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a Redis Cluster say that the time is. A replica gets the times at which messages go from its
 * primary, and goes by its own clock when it becomes the primary.
 */
final class RedisClocks {
    private static final Duration MOST_APART = Duration.ofMinutes(1);

    /** How much they are ahead of this process's monotonic clock. */
    private final Map<RedisConfig.Node, Duration> ahead = new LinkedHashMap<>();

    /** Notes what a server has just told; nothing where it does not tell the time. */
    void note(RedisConfig.Node node, RedisInfo info, long nowNanos) {
        String micros = info.get("server_time_usec");
        if (micros.chars().allMatch(Character::isDigit)) {
            long nanos = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(micros));
            ahead.put(node, Duration.ofNanos(nanos - nowNanos));
        }
    }

    /** A sentence for the log when they are far apart; null when they are not. */
    @Nullable
    String warning() {
        Map.Entry<RedisConfig.Node, Duration> least = null;
        Map.Entry<RedisConfig.Node, Duration> most = null;
        for (Map.Entry<RedisConfig.Node, Duration> each : ahead.entrySet()) {
            least = least == null || each.getValue().compareTo(least.getValue()) < 0 ? each : least;
            most = most == null || each.getValue().compareTo(most.getValue()) > 0 ? each : most;
        }
        if (least == null || most == null) {
            return null;
        }
        Duration apart = most.getValue().minus(least.getValue());
        return apart.compareTo(MOST_APART) <= 0
                ? null
                : ("The clock of Redis at %s is %d s ahead of the one at %s. Messages with an expiry may be lost when a replica"
                                + " becomes the primary whose clock is more than five minutes ahead. Have the servers'"
                                + " clocks set by NTP.")
                        .formatted(most.getKey(), apart.toSeconds(), least.getKey());
    }
}
