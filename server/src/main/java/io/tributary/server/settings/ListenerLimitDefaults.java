package io.tributary.server.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/**
 * Gives each listener the limits of {@code tributary.limits} wherever it has none of its own: a property source, the
 * last to be asked, in which {@code tributary.listeners.<name>.limits.x} is what {@code tributary.limits.x} is.
 */
final class ListenerLimitDefaults extends PropertySource<Pattern> {
    private static final Pattern LISTENER_LIMIT =
            Pattern.compile(Pattern.quote(TributarySettings.PREFIX) + "\\.listeners\\.[^.]+\\.limits\\.(.+)");

    private final ConfigurableEnvironment environment;

    private ListenerLimitDefaults(ConfigurableEnvironment environment) {
        // Not the environment as the source: Spring Boot would look for the environment's sources in it, without an
        // end.
        super("listener limit defaults", LISTENER_LIMIT);
        this.environment = environment;
    }

    /** Adds them to an environment. */
    static void addTo(ConfigurableEnvironment environment) {
        environment.getPropertySources().addLast(new ListenerLimitDefaults(environment));
    }

    /** The common limit that a listener's comes from; other names are their own. */
    ConfigurationPropertyName origin(ConfigurationPropertyName name) {
        Matcher limit = getSource().matcher(name.toString());
        return limit.matches()
                ? ConfigurationPropertyName.of(TributarySettings.PREFIX + ".limits." + limit.group(1))
                : name;
    }

    @Override
    public @Nullable Object getProperty(String name) {
        Matcher limit = getSource().matcher(name);
        return limit.matches() ? environment.getProperty(TributarySettings.PREFIX + ".limits." + limit.group(1)) : null;
    }
}
