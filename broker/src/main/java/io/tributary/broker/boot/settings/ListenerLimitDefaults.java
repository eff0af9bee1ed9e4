package io.tributary.broker.boot.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/**
 * Gives each listener the limits of {@code tributary.limits} wherever it has none of its own: a property source, the last to
 * be asked, in which {@code tributary.listeners.<name>.limits.x} is what {@code tributary.limits.x} is.
 */
public final class ListenerLimitDefaults extends PropertySource<ConfigurableEnvironment> {
    private static final Pattern LISTENER_LIMIT =
            Pattern.compile(Pattern.quote(TributarySettings.PREFIX) + "\\.listeners\\.[^.]+\\.limits\\.(.+)");

    private ListenerLimitDefaults(ConfigurableEnvironment environment) {
        super("listener limit defaults", environment);
    }

    /** Adds them to an environment. */
    public static void addTo(ConfigurableEnvironment environment) {
        environment.getPropertySources().addLast(new ListenerLimitDefaults(environment));
    }

    @Override
    public @Nullable Object getProperty(String name) {
        Matcher limit = LISTENER_LIMIT.matcher(name);
        return limit.matches() ? getSource().getProperty(TributarySettings.PREFIX + ".limits." + limit.group(1)) : null;
    }
}
