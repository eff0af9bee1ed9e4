package io.tributary.common.topic;

/** Counts the bytes of text in UTF-8 without encoding it. */
public final class Utf8Length {

    private Utf8Length() {}

    /** The number of bytes of the text in UTF-8. */
    public static int of(String text) {
        int bytes = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // Each half of a surrogate pair counts two of the four bytes.
            bytes += c < 0x80 ? 0 : c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
        }
        return bytes;
    }
}
