package io.tributary.broker.boot.settings;

import io.tributary.broker.boot.settings.check.SettingException;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Refuses a setting that is given twice among the arguments: Spring Boot would join the two values with a comma, and
 * start with one that nobody meant.
 */
public final class RepeatedSettings {
    private static final String PREFIX = "--";
    private static final ConfigurationPropertyName MAY_BE_SECRET =
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".cluster.kafka.client-properties");

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
                ConfigurationPropertyName name = ConfigurationPropertyName.adapt(parts[0], '.');
                String before = seen.put(name, value);
                if (before != null) {
                    String values =
                            MAY_BE_SECRET.isAncestorOf(name) ? "" : ", as '" + before + "' and as '" + value + "'";
                    throw new SettingException(parts[0], "is given twice" + values + "; give it once");
                }
            }
        }
    }
}
