package io.tributary.common.codec;

/** Which parts of a packet are left out so that it does not exceed its receiver's limit, from least to most. */
enum Trimming {
    /** Nothing. */
    NONE,
    /** The user properties. */
    USER_PROPERTIES,
    /** The user properties and the reason string. */
    ALL_WORDS
}
