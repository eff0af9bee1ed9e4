package io.tributary.broker.security;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pattern that a text as a whole matches or does not. As written it is a glob, in which {@code *} stands for any
 * number of characters, none included, and {@code ?} for one; after {@code regex:} it is a regular expression of RE2.
 * Upper and lower case differ.
 *
 * <p>Clients choose the texts, so matching takes time in proportion to the text's length, whatever the text: RE2 has no
 * backtracking, and hence no back references and no looking around. Immutable; two are equal when they are written
 * alike.
 */
public final class TextPattern {
    private static final String REGEX = "regex:";

    private final String written;
    private final Pattern pattern;

    private TextPattern(String written, Pattern pattern) {
        this.written = written;
        this.pattern = pattern;
    }

    /**
     * The pattern that is written so.
     *
     * @throws IllegalArgumentException when it is empty, or not a regular expression of RE2
     */
    public static TextPattern of(String written) {
        boolean regex = written.startsWith(REGEX);
        if (written.isEmpty() || written.equals(REGEX)) {
            throw new IllegalArgumentException("'" + written + "' is an empty pattern");
        }
        try {
            String expression = regex ? written.substring(REGEX.length()) : ofGlob(written);
            Pattern _ = Pattern.compile(expression); // its complaint shows what was written, without a flag
            return new TextPattern(written, Pattern.compile(expression, Pattern.DOTALL));
        } catch (PatternSyntaxException wrong) {
            throw new IllegalArgumentException(
                    "'" + written + "' is not a regular expression of RE2: " + wrong.getMessage(), wrong);
        }
    }

    /** Whether the whole text matches. */
    public boolean matches(String text) {
        return pattern.matches(text);
    }

    /**
     * What the named groups of a regular expression, {@code (?P<name>...)}, are in the text.
     *
     * @return empty when there are none; null when the whole text does not match
     */
    public @Nullable Map<String, String> groups(String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        Map<String, String> groups = new HashMap<>();
        pattern.namedGroups().keySet().forEach(name -> {
            String group = matcher.group(name);
            if (group != null) {
                groups.put(name, group);
            }
        });
        return groups;
    }

    /** The names of the groups of a regular expression. */
    public Set<String> groupNames() {
        return pattern.namedGroups().keySet();
    }

    private static String ofGlob(String glob) {
        StringBuilder expression = new StringBuilder();
        glob.codePoints().forEach(character -> {
            switch (character) {
                case '*' -> expression.append(".*");
                case '?' -> expression.append('.');
                default -> expression.append(Pattern.quote(Character.toString(character)));
            }
        });
        return expression.toString();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TextPattern that && written.equals(that.written);
    }

    @Override
    public int hashCode() {
        return Objects.hash(written);
    }

    /** As it is written. */
    @Override
    public String toString() {
        return written;
    }
}
