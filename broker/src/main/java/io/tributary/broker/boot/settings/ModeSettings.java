package io.tributary.broker.boot.settings;

import io.tributary.broker.boot.settings.TributarySettings.Mode;
import io.tributary.broker.boot.settings.check.SettingException;
import io.tributary.broker.boot.settings.check.Units;
import java.util.List;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Refuses settings of the mode that the broker does not run in: one without effect is most often a mode that was
 * forgotten. Of environment variables it knows nothing, as {@link UnknownSettings} does.
 */
public final class ModeSettings {
    private static final String MODE = TributarySettings.PREFIX + ".mode";
    private static final List<ConfigurationPropertyName> OF_CLUSTER = List.of(
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".cluster"),
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".ingest"));
    private static final List<ConfigurationPropertyName> OF_STANDALONE =
            List.of(ConfigurationPropertyName.of(TributarySettings.PREFIX + ".storage"));

    private ModeSettings() {}

    /**
     * Looks through all that is configured.
     *
     * @throws SettingException for the first setting of the other mode
     */
    public static void refuseOthers(ConfigurableEnvironment environment) {
        Mode mode = Binder.get(environment).bind(MODE, Mode.class).orElse(Mode.STANDALONE);
        Mode other = mode == Mode.CLUSTER ? Mode.STANDALONE : Mode.CLUSTER;
        List<ConfigurationPropertyName> foreign = mode == Mode.CLUSTER ? OF_STANDALONE : OF_CLUSTER;
        UnknownSettings.given(environment)
                .filter(name -> foreign.stream().anyMatch(group -> group.isAncestorOf(name)))
                .findFirst()
                .ifPresent(name -> {
                    throw new SettingException(
                            name.toString(), "has no effect without " + MODE + "=" + Units.text(other));
                });
    }
}
