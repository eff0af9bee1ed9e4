package io.tributary.broker.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Texts in UTF-8 among other bytes. */
final class PackedText {

    private PackedText() {}

    /** Whether some bytes are this text; reads no further than to the first difference. */
    static boolean isEqual(byte[] bytes, int from, int length, String text) {
        if (length < text.length()) {
            return false; // no text has fewer bytes than chars
        }
        for (int i = 0; i < text.length(); i++) {
            if (bytes[from + i] < 0) {
                return new String(bytes, from, length, UTF_8).equals(text);
            }
            if (bytes[from + i] != text.charAt(i)) {
                return false;
            }
        }
        return length == text.length();
    }
}
