package io.tributary.perf.paper;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A size at which a table is repeated.
 *
 * @param size what it is, for people
 * @param set parameters of the scenario, beside those of a row
 */
public record Form(String size, Map<String, Object> set) {
    /** Copies the map. */
    public Form {
        set = new LinkedHashMap<>(set);
    }
}
