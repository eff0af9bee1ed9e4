package io.tributary.broker.boot.settings;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Refuses a setting that is given twice among the arguments: Spring Boot would join the two values with a comma, and start
 * with one that nobody meant.
 */
public final class RepeatedSettings {
    private static final String PREFIX = "--";

    private RepeatedSettings() {}

    /**
     * Looks through the arguments of the program; ways to write a name that mean the same setting are the same.
     *
     * @throws SettingException for the first setting that comes again
     */
    public static void refuse(String... arguments) {
        Map<ConfigurationPropertyName, String> seen = new HashMap<>();
        for (String argument : arguments) {
            if (argument.startsWith(PREFIX) && argument.length() > PREFIX.length()) {
                String[] parts = argument.substring(PREFIX.length()).split("=", 2);
                String value = parts.length == 1 ? "" : parts[1];
                String before = seen.put(ConfigurationPropertyName.adapt(parts[0], '.'), value);
                if (before != null) {
                    throw new SettingException(
                            parts[0], "is given twice, as '" + before + "' and as '" + value + "'; give it once");
                }
            }
        }
    }
}
