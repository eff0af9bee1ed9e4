package io.tributary.broker.security.rules;

import io.tributary.broker.security.rules.Subject.Known;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What stands for a level in the topic of a rule until a client is known: {@code ${clientid}}, {@code ${username}},
 * {@code ${cn}} (common name in the certificate), {@code ${tenant}}, {@code ${group}} (any of the client's groups), or
 * {@code ${claim.NAME}}.
 *
 * @param source what it is of the client
 * @param claim the name of the claim; empty unless it is one
 */
record Placeholder(Source source, String claim) {
    private static final String BEGIN = "${";
    private static final String END = "}";
    private static final String CLAIM = "claim.";
    private static final Pattern CLAIM_NAME = Pattern.compile("[\\w.-]+");

    /** What a placeholder is of a client. */
    enum Source {
        CLIENT_ID("clientid"),
        USER_NAME("username"),
        COMMON_NAME("cn"),
        TENANT("tenant"),
        GROUP("group"),
        CLAIM("claim");

        private final String word;

        Source(String word) {
            this.word = word;
        }
    }

    /** Whether a level has a placeholder in it, be it well made or not. */
    static boolean isIn(String level) {
        return level.contains(BEGIN);
    }

    /**
     * The placeholder that a level consists of.
     *
     * @throws IllegalArgumentException when it is not one that is known, or not all of the level
     */
    static Placeholder parse(String level) {
        String name = level.startsWith(BEGIN) && level.endsWith(END)
                ? level.substring(BEGIN.length(), level.length() - END.length())
                : "";
        if (name.startsWith(CLAIM)
                && CLAIM_NAME.matcher(name.substring(CLAIM.length())).matches()) {
            return new Placeholder(Source.CLAIM, name.substring(CLAIM.length()));
        }
        for (Source source : Source.values()) {
            if (source != Source.CLAIM && source.word.equals(name)) {
                return new Placeholder(source, "");
            }
        }
        throw new IllegalArgumentException("'" + level + "' is not a placeholder; there are ${clientid}, ${username},"
                + " ${cn}, ${tenant}, ${group} and ${claim.NAME}, each for a whole level");
    }

    /** What it stands for with this client. */
    LevelValues valuesOf(Subject subject) {
        boolean isKnown = switch (source) {
            case CLIENT_ID -> true;
            case USER_NAME, COMMON_NAME, TENANT, GROUP -> subject.known() != Known.CLIENT_ID;
            case CLAIM -> subject.known() == Known.ALL;
        };
        return isKnown ? new LevelValues(of(subject)) : LevelValues.UNKNOWN;
    }

    /** What it is of this client; empty when the client has no such thing. */
    List<String> of(Subject subject) {
        return switch (source) {
            case CLIENT_ID -> List.of(subject.clientId());
            case USER_NAME -> listOf(subject.userName());
            case COMMON_NAME -> listOf(subject.commonName());
            case TENANT -> listOf(subject.tenant());
            case GROUP -> List.copyOf(subject.groups());
            case CLAIM -> listOf(subject.claims().get(claim));
        };
    }

    private static List<String> listOf(@Nullable String value) {
        return value == null ? List.of() : List.of(value);
    }
}
