package io.tributary.perf.paper;

import io.tributary.perf.scenario.Library;
import io.tributary.perf.scenario.PlannedRun;
import io.tributary.perf.scenario.ScenarioException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table, or a figure, of a published work that the load tool repeats.
 *
 * @param name for the command line
 * @param runsOf the table whose runs give its figures, too; null where it has its own
 * @param work by its key in the file
 * @param place in the work, such as Table 2
 * @param title what it shows
 * @param scenario the built-in scenario that repeats a row
 * @param target what is measured unless told
 * @param set parameters of all rows
 * @param fixed what the scenario has to have in all rows, whether set or by default; a test reads it
 * @param fast the form for a machine of two cores and some minutes
 * @param full the form as published, as far as one machine can
 * @param figures those of each row, in order
 * @param rows in order
 * @param summary what the publication says of all rows together; null for nothing
 * @param differs in what ours is not the published experiment, beside what the scenario says
 */
public record PublishedTable(
        String name,
        @Nullable String runsOf,
        String work,
        String place,
        String title,
        String scenario,
        String target,
        Map<String, Object> set,
        Map<String, Object> fixed,
        Form fast,
        Form full,
        List<Figure> figures,
        List<PublishedRow> rows,
        @Nullable Summary summary,
        List<String> differs) {

    /** The word before a row's name in the label of its run. */
    private static final String ROW = "row";

    /** Checks that each row has the figures of the table. */
    public PublishedTable {
        figures = List.copyOf(figures);
        rows = List.copyOf(rows);
        differs = List.copyOf(differs);
        int wanted = figures.size();
        for (PublishedRow row : rows) {
            row.published().forEach((system, values) -> {
                if (values.size() != wanted) {
                    throw new ScenarioException(name + ", " + row.name() + ", " + system + ": " + values.size()
                            + " figures in place of " + wanted);
                }
            });
        }
    }

    /** The table whose runs give its figures. */
    public String source() {
        return runsOf == null ? name : runsOf;
    }

    /** The systems that were measured, in the order of the table. */
    public List<String> systems() {
        List<String> systems = new ArrayList<>();
        for (PublishedRow row : rows) {
            for (String system : row.published().keySet()) {
                if (!systems.contains(system)) {
                    systems.add(system);
                }
            }
        }
        return systems;
    }

    /** The rows with one of these names or, for a text that is no row's name, with the text in their names. */
    public List<PublishedRow> rowsNamed(List<String> texts) {
        Set<String> names = rows.stream().map(PublishedRow::name).collect(Collectors.toSet());
        return rows.stream()
                .filter(row -> texts.stream()
                        .anyMatch(text -> names.contains(text)
                                ? row.name().equals(text)
                                : row.name().contains(text)))
                .toList();
    }

    /**
     * The run of a row.
     *
     * @param isFull whether in the full form
     * @throws ScenarioException if the scenario does not know a parameter, or would make several runs of it
     */
    public PlannedRun run(PublishedRow row, boolean isFull) {
        Map<String, String> changes = new LinkedHashMap<>();
        // A form may say how long, and a row what is measured; the row is the publication's word.
        for (Map<String, Object> part : List.of(set, (isFull ? full : fast).set(), row.set())) {
            part.forEach((key, value) -> changes.put(key, String.valueOf(value)));
        }
        PlannedRun run = Library.find(scenario).repetition(changes);
        Map<String, Object> label = new LinkedHashMap<>();
        label.put("form", isFull ? "full" : "fast");
        label.put(ROW, row.name());
        return new PlannedRun(label, run.tree());
    }

    /** Whether a run with this label is one of the row. */
    public boolean isRunOf(PublishedRow row, String label) {
        return label.endsWith(" " + ROW + "=" + row.name());
    }

    /**
     * What a publication says of all rows of a table together.
     *
     * @param place in the work
     * @param published by system: the mean of the first figure over all rows, its standard deviation, and the mean of
     *     the second figure
     */
    public record Summary(String place, Map<String, List<Value>> published) {}
}
