package io.tributary.broker.shard;

/**
 * How far an application is behind the end of its topic.
 *
 * @param messages how many messages there are that it has not acknowledged
 * @param bytes about how large they are, by the size of what it read last; {@link #UNKNOWN} when its owner has read
 *     nothing yet
 * @param ageMillis for how long the oldest of them has been there at least
 */
public record ApplicationLag(long messages, double bytes, long ageMillis) {

    /** No size. */
    public static final double UNKNOWN = Double.NaN;
}
