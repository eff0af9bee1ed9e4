package io.tributary.editloop;

/**
 * What of a class others are compiled against, as digests.
 *
 * @param header what it is and extends; empty for a class that only its own source file can name
 * @param whole everything that is not private: that of its super types too, and values of constants, which the compiler
 *     copies into their users
 */
record Surface(String header, String whole) {
    static final Surface NONE = new Surface("", "");
}
