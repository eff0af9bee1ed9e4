package io.tributary.common.codec;

/** A side of a connection. */
enum Role {
    /** The side that sends CONNECT. */
    CLIENT,
    /** The side that answers it. */
    SERVER
}
