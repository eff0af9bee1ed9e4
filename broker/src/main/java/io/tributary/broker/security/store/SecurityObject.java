package io.tributary.broker.security.store;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Something that the store keeps. Each checks at its making that it is well made, and not too large. */
public sealed interface SecurityObject permits StoredUser, DeviceToken, StoredRuleSet, Ban, TenantLimits {
    /** The most bytes of a name, in UTF-8. */
    int MOST_NAME_BYTES = 256;

    /** The most bytes of a text for people, in UTF-8. */
    int MOST_TEXT_BYTES = 1_024;

    /** What no other object of its table has. */
    String id();

    /** Where it is kept. */
    SecurityTable table();

    /**
     * Checks a name: it is part of an id, and an id is one level of the path of a request.
     *
     * @throws IllegalArgumentException when it is empty, too long, or has characters that a path cannot have
     */
    static String checkName(String what, String name) {
        checkText(what, name, MOST_NAME_BYTES);
        boolean isPlain = name.chars().noneMatch(c -> c == '/' || c == '\\');
        if (name.isEmpty() || !isPlain || name.equals(".") || name.equals("..")) {
            throw new IllegalArgumentException(
                    what + " must have 1 to " + MOST_NAME_BYTES + " bytes, without / and \\, and not be . or ..");
        }
        return name;
    }

    /**
     * Checks a text.
     *
     * @throws IllegalArgumentException when it is too long, or has control characters
     */
    static void checkText(String what, @Nullable String text, int mostBytes) {
        if (text == null) {
            return;
        }
        if (text.getBytes(StandardCharsets.UTF_8).length > mostBytes) {
            throw new IllegalArgumentException(what + " has more than " + mostBytes + " bytes");
        }
        if (text.chars().anyMatch(Character::isISOControl) || isNotUnicode(text)) {
            throw new IllegalArgumentException(what + " must not have control characters");
        }
    }

    /** Checks each of some texts. */
    static void checkTexts(String what, Collection<String> texts, int most, int mostBytes) {
        if (texts.size() > most) {
            throw new IllegalArgumentException(what + ": there are " + texts.size() + "; at most " + most);
        }
        texts.forEach(text -> checkText(what, text, mostBytes));
    }

    /** Whether a surrogate stands alone, which UTF-8 has not got. */
    private static boolean isNotUnicode(String text) {
        return !StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
