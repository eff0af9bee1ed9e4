package io.tributary.perf.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The words of a command line: names in their order, and options as {@code --key value} or {@code --key=value}. */
final class Arguments {
    private final List<String> names = new ArrayList<>();
    private final Map<String, List<String>> options = new LinkedHashMap<>();

    /**
     * Reads the words.
     *
     * @param known the options that have a value
     * @param flags those that have none
     * @throws UsageException if there are others
     */
    Arguments(List<String> words, Set<String> known, Set<String> flags) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("--")) {
                names.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String key = equals < 0 ? word : word.substring(0, equals);
            if (flags.contains(key) && equals < 0) {
                options.computeIfAbsent(key, _ -> new ArrayList<>()).add("");
                continue;
            }
            if (!known.contains(key)) {
                throw new UsageException("there is no option " + key + " here; see ./tributary perf help");
            }
            if (equals < 0 && i + 1 == words.size()) {
                throw new UsageException(key + " needs a value");
            }
            String value = equals < 0 ? words.get(++i) : word.substring(equals + 1);
            options.computeIfAbsent(key, _ -> new ArrayList<>()).add(value);
        }
    }

    /** The words that are no options. */
    List<String> names() {
        return names;
    }

    boolean has(String option) {
        return options.containsKey(option);
    }

    /** The value of an option that is given once at most. */
    Optional<String> value(String option) {
        List<String> given = options.getOrDefault(option, List.of());
        if (given.size() > 1) {
            throw new UsageException(option + " is given twice; give it once");
        }
        return given.stream().findFirst();
    }

    /** A number of 1 or more. */
    int number(String option, int otherwise) {
        String text = value(option).orElse(Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(option + " needs a number of 1 or more, not '" + text + "'");
    }

    /** The values of an option that is of the form {@code key=value}, and may be given several times. */
    Map<String, String> pairs(String option) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (String given : options.getOrDefault(option, List.of())) {
            int equals = given.indexOf('=');
            if (equals < 1) {
                throw new UsageException(option + " needs key=value, not '" + given + "'");
            }
            pairs.put(given.substring(0, equals), given.substring(equals + 1));
        }
        return pairs;
    }
}
