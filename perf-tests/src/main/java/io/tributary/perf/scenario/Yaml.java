package io.tributary.perf.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** YAML as maps, lists and scalars; a key that is there twice is an error. */
public final class Yaml {
    private Yaml() {}

    /**
     * The map that a document is.
     *
     * @param name of the document, for errors
     * @throws ScenarioException if it is not YAML, or no map
     */
    public static Map<String, Object> map(String name, String text) {
        return asMap(name, load(name, text));
    }

    /** One value, as it would be understood in a document. */
    static Object value(String name, String text) {
        Object value = load(name, text);
        return value == null ? "" : value;
    }

    /** This value as a map that can be changed. */
    public static Map<String, Object> asMap(String where, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new ScenarioException(where + ": needs 'name: value' lines");
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, entry) -> copy.put(String.valueOf(key), entry));
        return copy;
    }

    /** This value as a list. */
    public static List<Object> asList(String where, @Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            throw new ScenarioException(where + ": needs a list");
        }
        return new ArrayList<>(list);
    }

    private static @Nullable Object load(String name, String text) {
        LoaderOptions options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        try {
            return new org.yaml.snakeyaml.Yaml(new SafeConstructor(options)).load(text);
        } catch (YAMLException e) {
            throw new ScenarioException(name + " is not YAML: " + e.getMessage(), e);
        }
    }
}
