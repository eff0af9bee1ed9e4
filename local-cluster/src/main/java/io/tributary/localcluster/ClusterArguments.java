package io.tributary.localcluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The words of a command line: names in their order, and options as {@code --key value} or {@code --key=value}. */
final class ClusterArguments {
    private static final Set<String> FLAGS = Set.of("--json");

    private final List<String> names = new ArrayList<>();
    private final Map<String, String> options = new HashMap<>();

    ClusterArguments(List<String> words, Set<String> allowed) {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("--")) {
                names.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String key = equals < 0 ? word : word.substring(0, equals);
            if (!allowed.contains(key)) {
                throw new UsageException("'" + key + "' is not known here; see ./tributary help");
            }
            if (FLAGS.contains(key)) {
                options.put(key, "");
            } else if (equals >= 0) {
                options.put(key, word.substring(equals + 1));
            } else if (++i < words.size()) {
                options.put(key, words.get(i));
            } else {
                throw new UsageException(key + " needs a value");
            }
        }
    }

    boolean has(String option) {
        return options.containsKey(option);
    }

    int number(String option, int otherwise) {
        String value = options.get(option);
        if (value == null) {
            return otherwise;
        }
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new UsageException(option + " needs a number, not '" + value + "'");
        }
    }

    Path directory(String option, Path otherwise) {
        @Nullable String value = options.get(option);
        Path directory = value == null || value.isEmpty() ? otherwise : Path.of(value);
        return directory.toAbsolutePath().normalize();
    }

    /** Nothing but options. */
    void expectNoName() {
        if (!names.isEmpty()) {
            throw new UsageException("'" + names.getFirst() + "' is one word too many");
        }
    }

    /** The one name. */
    String onlyName() {
        if (names.size() != 1) {
            throw new UsageException("this needs one name, such as kafka-1, redis-1 or n1");
        }
        return names.getFirst();
    }
}
