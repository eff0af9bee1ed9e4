package io.tributary.broker.boot.settings;

import io.tributary.broker.boot.settings.TributarySettings.Mode;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Refuses settings of the mode that the broker does not run in: one without effect is most often a mode that was forgotten. Of
 * environment variables it knows nothing, as {@link UnknownSettings} does.
 */
public final class ModeSettings {
    private static final String MODE = TributarySettings.PREFIX + ".mode";
    private static final ConfigurationPropertyName OF_CLUSTER =
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".cluster");
    private static final ConfigurationPropertyName OF_STANDALONE =
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".storage");

    private ModeSettings() {}

    /**
     * Looks through all that is configured.
     *
     * @throws SettingException for the first setting of the other mode
     */
    public static void refuseOthers(ConfigurableEnvironment environment) {
        Mode mode = Binder.get(environment).bind(MODE, Mode.class).orElse(Mode.STANDALONE);
        Mode other = mode == Mode.CLUSTER ? Mode.STANDALONE : Mode.CLUSTER;
        ConfigurationPropertyName foreign = mode == Mode.CLUSTER ? OF_STANDALONE : OF_CLUSTER;
        UnknownSettings.given(environment)
                .filter(foreign::isAncestorOf)
                .findFirst()
                .ifPresent(name -> {
                    throw new SettingException(
                            name.toString(), "has no effect without " + MODE + "=" + SettingCatalog.written(other));
                });
    }
}
