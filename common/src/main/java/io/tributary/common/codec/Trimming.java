package io.tributary.common.codec;

/** What is left out of a packet so that it does not exceed what its receiver accepts, from least to most. */
enum Trimming {
    /** Nothing. */
    NONE,
    /** The user properties. */
    USER_PROPERTIES,
    /** The user properties and the reason string. */
    ALL_WORDS
}
