package io.tributary.server.advisories;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version in the order of Maven: {@code 1-alpha < 1-rc1 < 1 = 1.0 = 1.0.Final < 1-sp < 1.1}.
 *
 * @param tokens without those at the end, and before each hyphen, that say nothing
 */
record MavenVersion(List<Token> tokens) implements Comparable<MavenVersion> {
    private static final Pattern TOKEN = Pattern.compile("([.-]?)([0-9]+|[^0-9.-]+|(?=[.-]|$))");
    private static final List<String> ORDER = List.of("alpha", "beta", "milestone", "rc", "snapshot", "", "sp");
    private static final Map<String, String> SAME = Map.of("cr", "rc", "final", "", "ga", "", "release", "");
    private static final Map<String, String> SHORT = Map.of("a", "alpha", "b", "beta", "m", "milestone");

    /**
     * A number or a word with what is before it.
     *
     * @param isDotted whether that is a dot; it is a hyphen where there is nothing between a digit and a letter
     * @param text in small letters
     */
    record Token(boolean isDotted, String text) {
        boolean isNumber() {
            return !text.isEmpty() && Character.isDigit(text.charAt(0));
        }

        BigInteger number() {
            return new BigInteger(text);
        }

        boolean isNothing() {
            return text.isEmpty() || (isNumber() && number().signum() == 0);
        }

        /** What stands at the place of this one in a version that is shorter. */
        Token nothing() {
            return new Token(isDotted, isNumber() ? "0" : "");
        }

        int compareTo(Token other) {
            if (isNumber() && other.isNumber()) {
                return isDotted == other.isDotted ? number().compareTo(other.number()) : isDotted ? 1 : -1;
            }
            if (isNumber() != other.isNumber()) {
                return isNumber() ? 1 : -1;
            }
            int place = rank();
            int otherPlace = other.rank();
            return place == otherPlace ? text.compareTo(other.text) : Integer.compare(place, otherPlace);
        }

        private int rank() {
            int known = ORDER.indexOf(text);
            return known < 0 ? ORDER.size() : known;
        }
    }

    static MavenVersion of(String text) {
        List<Token> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text.toLowerCase(Locale.ROOT));
        while (matcher.find()) {
            if (matcher.group().isEmpty()) {
                continue;
            }
            String word = matcher.group(2).isEmpty() ? "0" : matcher.group(2);
            boolean beforeNumber = matcher.end() < text.length() && Character.isDigit(text.charAt(matcher.end()));
            String known = beforeNumber ? SHORT.getOrDefault(word, word) : word;
            boolean isDotted = matcher.group(1).equals(".") || tokens.isEmpty();
            tokens.add(new Token(isDotted, SAME.getOrDefault(known, known)));
        }
        trim(tokens);
        return new MavenVersion(List.copyOf(tokens));
    }

    private static void trim(List<Token> tokens) {
        for (int end = tokens.size(); end > 0; end--) {
            boolean isEnd = end == tokens.size() || !tokens.get(end).isDotted();
            if (isEnd && tokens.get(end - 1).isNothing()) {
                tokens.remove(end - 1);
            }
        }
    }

    @Override
    public int compareTo(MavenVersion other) {
        for (int i = 0; i < Math.max(tokens.size(), other.tokens.size()); i++) {
            Token mine = i < tokens.size() ? tokens.get(i) : other.tokens.get(i).nothing();
            Token theirs = i < other.tokens.size() ? other.tokens.get(i) : mine.nothing();
            int difference = mine.compareTo(theirs);
            if (difference != 0) {
                return difference;
            }
        }
        return 0;
    }
}
