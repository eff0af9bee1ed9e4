package io.tributary.perf.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts values in for <code>${name}</code> and <code>${name/other}</code>, and changes single settings by their path.
 */
final class Parameters {
    private static final Pattern NAME = Pattern.compile("\\$\\{([A-Za-z][A-Za-z0-9-]*)(?:/([A-Za-z][A-Za-z0-9-]*))?}");

    /** Before the name of a setting of the broker, which has points of its own. */
    private static final String TARGET = "target-settings.";

    private Parameters() {}

    /** The tree with every name replaced; a scalar that is nothing but a name becomes the value itself. */
    static @Nullable Object fill(@Nullable Object tree, Map<String, Object> values) {
        return switch (tree) {
            case Map<?, ?> map -> {
                Map<String, Object> filled = new LinkedHashMap<>();
                map.forEach((key, value) -> filled.put(String.valueOf(key), fill(value, values)));
                yield filled;
            }
            case List<?> list -> {
                List<Object> filled = new ArrayList<>();
                list.forEach(value -> filled.add(fill(value, values)));
                yield filled;
            }
            case String text -> fillText(text, values);
            case null, default -> tree;
        };
    }

    private static Object fillText(String text, Map<String, Object> values) {
        Matcher matcher = NAME.matcher(text);
        if (matcher.matches()) {
            return value(matcher, values);
        }
        return matcher.replaceAll(found -> Matcher.quoteReplacement(String.valueOf(value(found.group(1), values))));
    }

    private static Object value(MatchResult found, Map<String, Object> values) {
        Object value = value(found.group(1), values);
        if (found.group(2) == null) {
            return value;
        }
        if (value instanceof Integer number && value(found.group(2), values) instanceof Integer by && by > 0) {
            return number / by;
        }
        throw new ScenarioException(found.group() + ": only whole numbers can be divided");
    }

    private static Object value(String name, Map<String, Object> values) {
        Object value = values.get(name);
        if (value == null) {
            throw new ScenarioException("${" + name + "}: there is no such parameter; there are " + values.keySet());
        }
        return value;
    }

    /**
     * Sets one value in a tree.
     *
     * @param path names with points between them; of a list the entry with that {@code name}, or its number from 0 on;
     *     behind {@code target-settings.} all of it is one name
     */
    static void set(Map<String, Object> tree, String path, Object value) {
        Object at = tree;
        List<String> names = List.of(path.startsWith(TARGET) ? path.split("\\.", 2) : path.split("\\.", -1));
        for (String name : names.subList(0, names.size() - 1)) {
            at = child(at, name, path);
        }
        String last = names.getLast();
        if (!(at instanceof Map<?, ?>)) {
            throw new ScenarioException("--set " + path + ": there is no such setting");
        }
        @SuppressWarnings("unchecked") // made by this package, of maps with names
        Map<String, Object> map = (Map<String, Object>) at;
        map.put(last, value);
    }

    private static Object child(Object at, String name, String path) {
        Object found = null;
        if (at instanceof Map<?, ?> map) {
            found = map.get(name);
        } else if (at instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                boolean named = list.get(i) instanceof Map<?, ?> entry && name.equals(entry.get("name"));
                if (named || name.equals(Integer.toString(i))) {
                    found = list.get(i);
                }
            }
        }
        if (found == null) {
            throw new ScenarioException("--set " + path + ": there is no '" + name + "'");
        }
        return found;
    }

    /** All combinations of a matrix, in order; one that is empty where there is no matrix. */
    static List<Map<String, Object>> combinations(Map<String, Object> matrix) {
        List<Map<String, Object>> all = List.of(Map.of());
        for (Map.Entry<String, Object> entry : matrix.entrySet()) {
            List<Map<String, Object>> longer = new ArrayList<>();
            for (Map<String, Object> sofar : all) {
                for (Object value : Yaml.asList("matrix." + entry.getKey(), entry.getValue())) {
                    Map<String, Object> next = new LinkedHashMap<>(sofar);
                    next.put(entry.getKey(), value);
                    longer.add(next);
                }
            }
            all = longer;
        }
        return all;
    }
}
