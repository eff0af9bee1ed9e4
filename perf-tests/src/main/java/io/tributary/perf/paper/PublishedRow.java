package io.tributary.perf.paper;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of a published table: an experiment, and what came of it.
 *
 * @param name as the publication calls it
 * @param set the parameters of the scenario that make the experiment, by name
 * @param target where it is to run on another target than the table says; null for that
 * @param published by system its figures, in the order of the table's; a system may be left out
 */
public record PublishedRow(
        @JsonProperty("row") String name,
        Map<String, Object> set,
        @Nullable String target,
        Map<String, List<Value>> published) {

    /** Copies the maps, in their order. */
    public PublishedRow {
        set = new LinkedHashMap<>(set);
        Map<String, List<Value>> copy = new LinkedHashMap<>();
        published.forEach((system, values) -> copy.put(system, new ArrayList<>(values)));
        published = copy;
    }
}
