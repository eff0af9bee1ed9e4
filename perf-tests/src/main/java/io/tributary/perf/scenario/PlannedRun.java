package io.tributary.perf.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One run of a scenario, complete.
 *
 * @param combination the parameters in which it differs from the other runs of its scenario; empty where it is the only
 *     one
 */
public record PlannedRun(Map<String, Object> combination, Map<String, Object> tree) {

    /** Reads what {@link #text} wrote, in another process. */
    public static PlannedRun fromText(String text) {
        return new PlannedRun(Map.of(), Yaml.map("scenario", text));
    }

    /** All of it as text. */
    public String text() {
        return Binding.write(tree);
    }

    /** All of it for a report, without the password. */
    public Map<String, Object> shown() {
        Map<String, Object> shown = new LinkedHashMap<>(tree);
        if (shown.get("mqtt") instanceof Map<?, ?> given && given.get(MqttOptions.SECRET) != null) {
            Map<String, Object> mqtt = Yaml.asMap("mqtt", given);
            mqtt.put(MqttOptions.SECRET, "***");
            shown.put("mqtt", mqtt);
        }
        return shown;
    }

    /** What tells it from the others, for people; empty where it is the only one. */
    public String label() {
        return combination.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /**
     * A text with the values of this run's parameters in place of their names, such as {@code nginx:${policy}:3}.
     *
     * @throws ScenarioException if there is no such parameter
     */
    public String filled(String text) {
        return String.valueOf(Parameters.fill(text, scenario().parameters()));
    }

    /**
     * The scenario, with the scale applied to the numbers of clients.
     *
     * @throws ScenarioException if a setting is unknown, or not possible
     */
    public Scenario scenario() {
        Scenario full = Binding.bind(String.valueOf(tree.get("name")), new LinkedHashMap<>(tree), Scenario.class);
        List<Group> groups = full.groups().stream()
                .map(group -> group.scaledBy(full.scale()))
                .toList();
        return new Scenario(
                full.name(),
                full.title(),
                full.source(),
                full.same(),
                full.differs(),
                full.parameters(),
                full.scale(),
                full.threads(),
                full.target(),
                full.targetSettings(),
                full.mayDrop(),
                full.mqtt(),
                full.connect(),
                full.limits(),
                groups,
                full.steps());
    }
}
