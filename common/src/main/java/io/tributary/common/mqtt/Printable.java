package io.tributary.common.mqtt;

import java.util.regex.Pattern;

/**
 * Text of clients as logs and lists of operators may show it. MQTT lets strings have line breaks and other control
 * characters in them [MQTT-1.5.4]: with these, a client could forge lines, or have a terminal do something.
 */
public final class Printable {
    private static final int LONGEST_START = 80;

    /** Controls, what is invisible or turns the direction of text, and Unicode's own line breaks. */
    private static final Pattern OTHER = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private Printable() {}

    /** The whole text, with a question mark for each character that is not to be shown. */
    public static String of(String text) {
        return OTHER.matcher(text).replaceAll("?");
    }

    /** The first {@value #LONGEST_START} characters of it at most. */
    public static String startOf(String text) {
        return of(text.length() <= LONGEST_START ? text : text.substring(0, LONGEST_START) + "...");
    }
}
