package io.tributary.broker.guard;

import java.time.Instant;

/**
 * Somebody who may not connect to this node for a while.
 *
 * @param kind what of a client is banned
 * @param who the client identifier, the user name, or the address, of IPv6 the first of its 2^64
 * @param cause what it was banned for
 * @param until when the ban ends
 */
public record AutomaticBan(Kind kind, String who, Cause cause, Instant until) {

    /** What of a client is banned. */
    public enum Kind {
        /** Its client identifier. */
        CLIENT_ID,
        /** The user name in its CONNECT. */
        USER,
        /** Its address; of IPv6 all that have the first 64 bits in common. */
        ADDRESS
    }

    /** What somebody was banned for. */
    public enum Cause {
        /** It was refused for who it is too often. */
        FAILURES,
        /** It was accepted too often. */
        FLAPPING
    }
}
