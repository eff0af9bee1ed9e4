package io.tributary.broker.boot;

import io.tributary.broker.boot.settings.check.SettingException;
import org.springframework.core.env.Environment;

/** The port of health and metrics, which Spring Boot reads in several places and then complains of without its name. */
final class ManagementPort {
    private static final String SETTING = "server.port";
    private static final int HIGHEST = 65_535;

    private ManagementPort() {}

    /**
     * Refuses a text that is no port.
     *
     * @throws SettingException with what would be one
     */
    static void check(Environment environment) {
        String given = environment.getProperty(SETTING, "0");
        if (!given.matches("[0-9]{1,5}") || Integer.parseInt(given) > HIGHEST) {
            throw new SettingException(
                    SETTING, "'" + given + "' is not within 0 to " + HIGHEST + " (0 picks a free port)");
        }
    }
}
