package io.tributary.server.settings;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Finds arguments that Spring Boot would take for something nobody meant: a setting that is given twice, whose two
 * values it would join with a comma, and one without dashes, which it would leave alone.
 */
final class RepeatedSettings {
    private static final String PREFIX = "--";
    private static final ConfigurationPropertyName MAY_BE_SECRET =
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".cluster.kafka.client-properties");

    private RepeatedSettings() {}

    /** A line for each such argument, by its name; ways to write a name that mean the same setting are the same. */
    static Map<ConfigurationPropertyName, String> find(String... arguments) {
        Map<ConfigurationPropertyName, String> seen = new HashMap<>();
        Map<ConfigurationPropertyName, String> lines = new LinkedHashMap<>();
        for (String argument : arguments) {
            if (argument.isEmpty()) { // an empty variable of a shell or a container
                continue;
            }
            boolean isSetting = argument.startsWith(PREFIX) && argument.length() > PREFIX.length();
            String[] parts = (isSetting ? argument.substring(PREFIX.length()) : argument).split("=", 2);
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(parts[0], '.');
            if (!isSetting) {
                lines.put(name, parts[0] + ": is not written as a setting, which is --key=value");
                continue;
            }
            String value = parts.length == 1 ? "" : parts[1];
            String before = seen.put(name, value);
            if (before != null) {
                String values = MAY_BE_SECRET.isAncestorOf(name) ? "" : ", as '" + before + "' and as '" + value + "'";
                lines.put(name, parts[0] + ": is given twice" + values + "; give it once");
            }
        }
        return lines;
    }
}
