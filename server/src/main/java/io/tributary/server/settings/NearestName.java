package io.tributary.server.settings;

import io.tributary.cli.EditDistance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What was meant by the name of no setting. In known names, parts in {@code <>} stand for those that people choose. */
final class NearestName {
    private static final String SPRING = "spring.";
    private static final String OPEN_END = "<property>";

    private NearestName() {}

    /** What to do about the name, in words. */
    static String advice(String name, List<String> known) {
        return close(name, known)
                .or(() -> below(name, known))
                .map(meant -> "did you mean " + meant + "?")
                .orElse("docs/configuration.md lists all that there are");
    }

    /**
     * The known name to which the fewest letters must change, if these are so few, at most a third of the last part of
     * the name, that it was meant. Chosen parts of it are those of the unknown name.
     */
    private static Optional<String> close(String name, List<String> known) {
        int length = name.length() - name.lastIndexOf('.') - 1;
        return known.stream()
                .map(pattern -> adopt(pattern, name))
                .min(Comparator.comparingInt(candidate -> EditDistance.between(candidate, name)))
                .filter(candidate -> EditDistance.between(candidate, name) <= (length + 2) / 3);
    }

    /**
     * The one known name that ends with this one, or with its last part: it was written in another group, or none. Who
     * writes {@code spring.} does not mean the broker.
     */
    private static Optional<String> below(String name, List<String> known) {
        if (name.startsWith(SPRING)) {
            return Optional.empty();
        }
        String last = name.substring(name.lastIndexOf('.') + 1);
        return only(name, known).or(() -> only(last, known));
    }

    private static Optional<String> only(String end, List<String> known) {
        List<String> candidates = known.stream()
                .filter(candidate -> candidate.endsWith("." + end) && candidate.startsWith(TributarySettings.PREFIX))
                .toList();
        return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
    }

    /** A known name with the unknown one's parts in place of those that people choose. */
    static String adopt(String pattern, String name) {
        String[] elements = pattern.split("\\.", -1);
        String[] chosen = name.split("\\.", -1);
        for (int i = 0; i < elements.length; i++) {
            if (elements[i].equals(OPEN_END) && i < chosen.length) {
                elements[i] = String.join(".", Arrays.asList(chosen).subList(i, chosen.length));
            } else if (elements[i].startsWith("<") && i < chosen.length) {
                elements[i] = chosen[i];
            } else if (elements[i].endsWith("[<n>]") && i < chosen.length && chosen[i].matches(".*\\[.*]")) {
                elements[i] = elements[i].replace("[<n>]", chosen[i].substring(chosen[i].indexOf('[')));
            }
        }
        return String.join(".", elements);
    }
}
