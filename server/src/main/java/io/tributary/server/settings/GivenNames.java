package io.tributary.server.settings;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.core.env.CommandLinePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The names that are given, and where. */
final class GivenNames {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(TributarySettings.PREFIX);

    private GivenNames() {}

    /**
     * All names that arguments and files give, and where each is looked for first; those below {@code tributary.}
     * wherever they are given but in environment variables, and without what holds where nothing is said.
     */
    static Map<ConfigurationPropertyName, ConfigurationPropertySource> all(ConfigurableEnvironment environment) {
        Map<ConfigurationPropertyName, ConfigurationPropertySource> names = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource known && isLookedAt(source)) {
                boolean ofOperators = isOfOperators(source);
                known.stream()
                        .filter(name -> ofOperators || PREFIX.isAncestorOf(name))
                        .forEach(name -> names.putIfAbsent(name, source));
            }
        }
        return names;
    }

    /** The names below {@code tributary.}, in the order of {@link #all}. */
    static List<ConfigurationPropertyName> tributary(ConfigurableEnvironment environment) {
        return all(environment).keySet().stream().filter(PREFIX::isAncestorOf).toList();
    }

    /** Whether these are the values of the application itself, which hold where nothing else is given. */
    static boolean isDefaults(ConfigurationPropertySource source) {
        return named(source, DefaultPropertiesPropertySource.NAME);
    }

    private static boolean isLookedAt(ConfigurationPropertySource source) {
        return !isDefaults(source) && !named(source, StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private static boolean isOfOperators(ConfigurationPropertySource source) {
        Object underlying = source.getUnderlyingSource();
        return underlying instanceof CommandLinePropertySource<?>
                || underlying instanceof OriginTrackedMapPropertySource;
    }

    private static boolean named(ConfigurationPropertySource source, String name) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && underlying.getName().equals(name);
    }
}
