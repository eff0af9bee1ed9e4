package io.tributary.perf.paper;

import io.tributary.perf.scenario.Binding;
import io.tributary.perf.scenario.Resources;
import io.tributary.perf.scenario.ScenarioException;
import io.tributary.perf.scenario.Yaml;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * All published figures beside which ours stand, {@code published.yaml} beside this class.
 *
 * @param works by key
 * @param tables in the order of the page
 * @param left tables and figures that are not repeated; the rest of what is not is in
 *     docs/decisions/0023-what-is-not-repeated.md
 */
public record Published(Map<String, Work> works, List<PublishedTable> tables, List<Left> left) {

    private static final String FILE = "published.yaml";

    /** Checks that each table is of a work that is there. */
    public Published {
        works = new LinkedHashMap<>(works);
        tables = List.copyOf(tables);
        left = List.copyOf(left);
        for (PublishedTable table : tables) {
            checkWork(works, table.work(), table.name());
        }
        for (Left one : left) {
            checkWork(works, one.work(), one.place());
        }
    }

    private static void checkWork(Map<String, Work> works, String work, String of) {
        if (!works.containsKey(work)) {
            throw new ScenarioException(of + ": there is no work '" + work + "'");
        }
    }

    /** Reads the file. */
    public static Published read() {
        Map<String, Object> file = Yaml.map(FILE, Resources.text(Published.class, FILE));
        Map<String, Map<String, Object>> tables = new LinkedHashMap<>();
        for (Object table : Yaml.asList(FILE, file.get("tables"))) {
            Map<String, Object> full = complete(Yaml.asMap(FILE, table), tables);
            tables.put(String.valueOf(full.get("name")), full);
        }
        file.put("tables", List.copyOf(tables.values()));
        return Binding.bind(FILE, file, Published.class);
    }

    /** With what a table and its rows may leave out; one of the runs of another has that one's experiment. */
    private static Map<String, Object> complete(Map<String, Object> table, Map<String, Map<String, Object>> before) {
        Map<String, Object> full = new LinkedHashMap<>();
        full.put("runs-of", null);
        full.put("target", "standalone");
        full.put("set", Map.of());
        full.put("summary", null);
        full.put("differs", List.of());
        if (table.get("runs-of") instanceof String source) {
            Map<String, Object> other = before.getOrDefault(source, Map.of());
            List.of("work", "scenario", "target", "set", "fixed", "fast", "full", "differs")
                    .forEach(key -> full.put(key, other.get(key)));
        }
        full.putAll(table);
        List<Object> rows = new ArrayList<>();
        for (Object row : Yaml.asList(FILE + ", rows", full.get("rows"))) {
            Map<String, Object> one = Yaml.asMap(FILE + ", row", row);
            one.putIfAbsent("target", null); // that of the table
            rows.add(one);
        }
        full.put("rows", rows);
        return full;
    }

    /** The work of a table. */
    public Work work(PublishedTable table) {
        return Objects.requireNonNull(works.get(table.work()));
    }

    /**
     * The table of a name.
     *
     * @throws ScenarioException if there is none, with all names
     */
    public PublishedTable table(String name) {
        return tables.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new ScenarioException("there is no published table '" + name + "'; one of "
                        + tables.stream().map(PublishedTable::name).collect(Collectors.joining(", "))));
    }

    /**
     * A table or figure that is not repeated.
     *
     * @param work by key
     * @param place in the work
     * @param what it shows
     * @param why it is not repeated, or where else it is answered
     */
    public record Left(String work, String place, String what, String why) {}
}
