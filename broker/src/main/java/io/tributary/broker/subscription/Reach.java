package io.tributary.broker.subscription;

/** How a member of a shared subscription can be reached. */
enum Reach {
    /** By a connection of this node. */
    HERE,
    /** By a connection of another node. */
    ELSEWHERE,
    /** By a connection, here or elsewhere, whose client acknowledges nothing. */
    STUCK,
    /** Not now: it is persistent and not connected. */
    OFFLINE
}
