package io.tributary.common.mqtt;

/**
 * Text of clients as logs and lists of operators may show it. MQTT lets strings have line breaks and other control
 * characters in them [MQTT-1.5.4]: with these, a client could forge lines, or have a terminal do something.
 */
public final class Printable {
    private static final int LONGEST_START = 80;

    private Printable() {}

    /** The whole text, with a question mark for each character that is not to be shown. */
    public static String of(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            if (!isShown(text.codePointAt(i))) {
                return text.codePoints()
                        .map(each -> isShown(each) ? each : '?')
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString();
            }
        }
        return text;
    }

    /** Not controls, what is invisible or turns the direction of text, and Unicode's own line breaks. */
    private static boolean isShown(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** The first {@value #LONGEST_START} characters of it at most. */
    public static String startOf(String text) {
        return of(text.length() <= LONGEST_START ? text : text.substring(0, LONGEST_START) + "...");
    }
}
