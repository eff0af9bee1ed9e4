package io.tributary.broker.subscription;

/** How a shared subscription chooses the member that gets a message. */
public enum SharedStrategy {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest unacknowledged messages; in a large group the best of a sample. */
    LEAST_IN_FLIGHT,
    /** The same one for all messages of a publisher; when members come or go, few publishers move. */
    STICKY_BY_PUBLISHER,
    /** The same one for all messages on a topic; when members come or go, few topics move. */
    HASH_OF_TOPIC
}
