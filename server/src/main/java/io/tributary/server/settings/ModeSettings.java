package io.tributary.server.settings;

import io.tributary.server.settings.TributarySettings.Mode;
import io.tributary.server.settings.check.Units;
import java.util.List;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Finds settings of the mode that the broker does not run in: one without effect is most often a mode that was
 * forgotten. Of environment variables it knows nothing, as {@link UnknownSettings} does.
 */
final class ModeSettings {
    private static final String MODE = TributarySettings.PREFIX + ".mode";
    private static final List<ConfigurationPropertyName> OF_CLUSTER = List.of(
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".cluster"),
            ConfigurationPropertyName.of(TributarySettings.PREFIX + ".ingest"));
    private static final List<ConfigurationPropertyName> OF_STANDALONE =
            List.of(ConfigurationPropertyName.of(TributarySettings.PREFIX + ".storage"));

    private ModeSettings() {}

    /** The settings of the other mode; none when the mode is no mode. */
    static List<ConfigurationPropertyName> foreign(ConfigurableEnvironment environment) {
        Mode mode;
        try {
            mode = Binder.get(environment).bind(MODE, Mode.class).orElse(Mode.STANDALONE);
        } catch (BindException e) {
            return List.of();
        }
        List<ConfigurationPropertyName> groups = mode == Mode.CLUSTER ? OF_STANDALONE : OF_CLUSTER;
        return GivenNames.tributary(environment).stream()
                .filter(name -> groups.stream().anyMatch(group -> group.isAncestorOf(name)))
                .sorted()
                .toList();
    }

    /** One line about all of these, for they have the same reason. */
    static String words(List<ConfigurationPropertyName> foreign) {
        ConfigurationPropertyName first = foreign.getFirst();
        Mode theirs =
                OF_STANDALONE.stream().anyMatch(group -> group.isAncestorOf(first)) ? Mode.STANDALONE : Mode.CLUSTER;
        String more = foreign.size() == 1 ? "" : "; nor have " + (foreign.size() - 1) + " more that are given";
        return first + ": has no effect without " + MODE + "=" + Units.text(theirs) + more;
    }
}
