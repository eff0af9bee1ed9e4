package io.tributary.perf.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A scenario's file: its settings as written, from which {@link #runs} makes the runs that it asks for. */
public final class ScenarioFile {
    private static final Map<String, Object> DEFAULTS = Yaml.map("defaults.yaml", Resources.text("defaults.yaml"));

    private static final String STEPS = "steps";
    private static final String REPEAT = "repeat";
    private static final String SAME = "same";
    private static final String DIFFERS = "differs";
    private static final int MAX_ROUNDS = 1000;

    private final String name;
    private final String text;
    private final Map<String, Object> tree;

    private ScenarioFile(String name, String text) {
        this.name = name;
        this.text = text;
        tree = Yaml.map(name, text);
    }

    /**
     * Reads a file.
     *
     * @param name what to call it
     * @throws ScenarioException if it is not YAML
     */
    public static ScenarioFile of(String name, String yaml) {
        return new ScenarioFile(name, yaml);
    }

    /** The file as it was written. */
    public String text() {
        return text;
    }

    /** What it does unless told, in a line. */
    public String title() {
        return String.valueOf(Parameters.fill(tree.getOrDefault("title", ""), parameters()));
    }

    /** Its parameters, with the values they have unless told. */
    public Map<String, Object> parameters() {
        return tree.containsKey("parameters") ? Yaml.asMap(name + ".parameters", tree.get("parameters")) : Map.of();
    }

    /** The number of its runs without changes. */
    public int combinations() {
        return Parameters.combinations(section(tree, "matrix")).size();
    }

    /**
     * The runs that it asks for: one, or one for each combination of its matrix.
     *
     * @param changes parameters by name, which then are no part of the matrix, and other settings by path
     * @param scale what the numbers of clients are multiplied with; null as the file says
     * @throws ScenarioException if something is wrong with it
     */
    public List<PlannedRun> runs(Map<String, String> changes, @Nullable Double scale) {
        return runs(changes, scale, true);
    }

    /**
     * The run with these parameters, which are those of a published experiment: that they are other ones than the file
     * has makes it no other experiment, and is not said.
     *
     * @throws ScenarioException if something is wrong with it, or if it is more than one run
     */
    public PlannedRun repetition(Map<String, String> parameters) {
        List<PlannedRun> runs = runs(parameters, null, false);
        if (runs.size() != 1) {
            throw new ScenarioException(
                    name + ": " + runs.size() + " runs in place of one; what varies and is not set: "
                            + runs.getFirst().combination().keySet());
        }
        return runs.getFirst();
    }

    private List<PlannedRun> runs(Map<String, String> changes, @Nullable Double scale, boolean tells) {
        Map<String, Object> changed = new LinkedHashMap<>(tree);
        Map<String, Object> parameters = section(changed, "parameters");
        Map<String, Object> matrix = section(changed, "matrix");
        Map<String, Object> settings = new LinkedHashMap<>();
        changes.forEach((key, text) -> {
            Object value = Yaml.value("--set " + key, text);
            if (parameters.containsKey(key)) {
                checkKind(key, text, value, parameters.get(key));
                parameters.put(key, value);
                matrix.remove(key);
            } else {
                checkSetting(key, parameters);
                settings.put(key, value);
            }
        });
        if (scale != null) {
            changed.put("scale", scale);
        }
        List<PlannedRun> runs = new ArrayList<>();
        for (Map<String, Object> combination : Parameters.combinations(matrix)) {
            Map<String, Object> values = new LinkedHashMap<>(parameters);
            values.putAll(combination);
            Map<String, Object> full = run(changed, values, settings);
            if (tells) {
                tellOfChanges(full, combination, changes, scale);
            }
            runs.add(new PlannedRun(combination, full));
        }
        return runs;
    }

    /**
     * Has the run say what was changed. A line of {@code same} that reads differently because of it is true no more:
     * what it says now is a difference.
     */
    private void tellOfChanges(
            Map<String, Object> run,
            Map<String, Object> combination,
            Map<String, String> changes,
            @Nullable Double scale) {
        Map<String, Object> unchanged = new LinkedHashMap<>(parameters());
        unchanged.putAll(combination);
        Object before = Parameters.fill(tree.getOrDefault(SAME, List.of()), unchanged);
        List<Object> same = Yaml.asList(name + ".same", run.get(SAME));
        List<Object> differs = new ArrayList<>(Yaml.asList(name + ".differs", run.get(DIFFERS)));
        List<Object> still = Yaml.asList(name + ".same", before);
        same.stream().filter(line -> !still.contains(line)).forEach(differs::add);
        List<String> told = new ArrayList<>();
        changes.forEach((key, value) -> told.add(key + "=" + (key.equals("mqtt." + MqttOptions.SECRET) ? "***" : value)
                + (unchanged.containsKey(key) ? " (" + unchanged.get(key) + ")" : "")));
        if (scale != null) {
            told.add("scale=" + scale);
        }
        if (!told.isEmpty()) {
            differs.add("changed for this run: " + String.join(", ", told));
        }
        run.put(SAME, same.stream().filter(still::contains).toList());
        run.put(DIFFERS, differs);
    }

    /** A name without points that is neither a parameter nor a setting of the whole was meant to be a parameter. */
    private void checkSetting(String key, Map<String, Object> parameters) {
        if (!key.contains(".") && !section(DEFAULTS, "scenario").containsKey(key)) {
            throw new ScenarioException("--set " + key + ": " + name + " has no such parameter; it has "
                    + String.join(", ", parameters.keySet())
                    + "; other settings are set by their path, such as mqtt.version");
        }
    }

    /** A word in place of a number would be complained about where the number is used, under another name. */
    private void checkKind(String key, String text, Object value, @Nullable Object usual) {
        boolean isNumber = usual instanceof Number && value instanceof String;
        if (isNumber || (usual instanceof Boolean && !(value instanceof Boolean))) {
            throw new ScenarioException("--set " + key + ": '" + text + "' is not "
                    + (isNumber ? "a number" : "true or false") + "; unless told, " + name + " has " + usual);
        }
    }

    private Map<String, Object> run(
            Map<String, Object> file, Map<String, Object> values, Map<String, Object> settings) {
        Map<String, Object> rest = new LinkedHashMap<>(file);
        rest.remove("parameters");
        rest.remove("matrix");
        Map<String, Object> full = complete(Yaml.asMap(name, Parameters.fill(rest, values)));
        full.put("name", name);
        full.put("parameters", values);
        settings.forEach((path, value) -> Parameters.set(full, path, value));
        return full;
    }

    /** With what it leaves out. */
    private Map<String, Object> complete(Map<String, Object> given) {
        Map<String, Object> full = merged("scenario", given);
        full.remove("matrix");
        for (String part : List.of("mqtt", "connect", "limits")) {
            full.put(part, merged(part, section(full, part)));
        }
        full.put("target-settings", section(full, "target-settings")); // a copy, for changes
        List<Object> groups = new ArrayList<>();
        for (Object group : Devices.expand(Yaml.asList(name + ".groups", full.get("groups")))) {
            groups.add(completeGroup(Yaml.asMap(name + ".groups", group)));
        }
        full.put("groups", groups);
        full.put(STEPS, mergedAll("step", repeated(Yaml.asList(name + ".steps", full.get(STEPS)))));
        return full;
    }

    private Map<String, Object> completeGroup(Map<String, Object> given) {
        Map<String, Object> group = merged("group", given);
        group.put("subscribe", mergedAll("subscribe", Yaml.asList(name + ".subscribe", group.get("subscribe"))));
        if (group.get("publish") != null) {
            group.put("publish", merged("publish", section(group, "publish")));
        }
        return group;
    }

    /**
     * The steps, with each {@code {repeat: N, steps: [...]}} written out: N rounds, whose number ends the names of
     * their steps.
     */
    private List<Object> repeated(List<Object> steps) {
        List<Object> all = new ArrayList<>();
        for (Object step : steps) {
            Map<String, Object> given = Yaml.asMap(name + ".step", step);
            if (given.containsKey(REPEAT)) {
                all.addAll(rounds(given));
            } else {
                all.add(given);
            }
        }
        return all;
    }

    private List<Object> rounds(Map<String, Object> given) {
        if (!(given.get(REPEAT) instanceof Integer rounds) || rounds < 0 || rounds > MAX_ROUNDS) {
            throw new ScenarioException(
                    name + ".steps: repeat: a whole number from 0 to " + MAX_ROUNDS + ", not " + given.get(REPEAT));
        }
        if (!given.keySet().equals(Set.of(REPEAT, STEPS))) {
            throw new ScenarioException(name + ".steps: repeat takes steps and nothing else, not " + given.keySet());
        }
        List<Object> all = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            String number = " " + round;
            for (Object one : Yaml.asList(name + ".steps of repeat", given.get(STEPS))) {
                Map<String, Object> step = Yaml.asMap(name + ".step", one);
                if (step.containsKey(REPEAT)) {
                    throw new ScenarioException(name + ".steps: a repeat within a repeat");
                }
                step.computeIfPresent("name", (_, word) -> word + number);
                all.add(step);
            }
        }
        return all;
    }

    private List<Object> mergedAll(String kind, List<Object> all) {
        List<Object> merged = new ArrayList<>();
        all.forEach(one -> merged.add(merged(kind, Yaml.asMap(name + "." + kind, one))));
        return merged;
    }

    private static Map<String, Object> merged(String kind, Map<String, Object> given) {
        Map<String, Object> merged = section(DEFAULTS, kind);
        merged.putAll(given);
        return merged;
    }

    private static Map<String, Object> section(Map<String, Object> tree, String part) {
        Object section = tree.get(part);
        return section == null ? new LinkedHashMap<>() : Yaml.asMap(part, section);
    }
}
