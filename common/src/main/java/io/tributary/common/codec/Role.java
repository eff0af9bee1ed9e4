package io.tributary.common.codec;

/** Which side of a connection somebody is. */
enum Role {
    /** The side that sends CONNECT. */
    CLIENT,
    /** The side that answers it. */
    SERVER
}
