package io.tributary.server;

import io.tributary.common.mqtt.Printable;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Names of clients as commands print them: one word for Bash, so that a name that is pasted means that client and
 * nothing else, and no name reads like more than one. {@code meter-1} is itself, {@code a b} is {@code 'a b'}, and what
 * has a control character begins with {@code $'}.
 */
final class ShellWord {
    private static final String SAFE = "[A-Za-z0-9_./:@+=,%-]+";

    private ShellWord() {}

    static String of(String name) {
        if (name.matches(SAFE)) {
            return name;
        }
        return Printable.of(name).equals(name) ? "'" + name.replace("'", "'\\''") + "'" : escaped(name);
    }

    private static String escaped(String name) {
        StringBuilder word = new StringBuilder("$'");
        name.codePoints().forEach(each -> {
            String character = Character.toString(each);
            if (each == '\\' || each == '\'') {
                word.append('\\').append(character);
            } else if (Printable.of(character).equals(character)) {
                word.append(character);
            } else {
                for (byte part : character.getBytes(StandardCharsets.UTF_8)) {
                    word.append("\\x").append(HexFormat.of().toHexDigits(part));
                }
            }
        });
        return word.append('\'').toString();
    }
}
