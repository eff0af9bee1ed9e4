package io.tributary.server.settings;

import io.tributary.server.settings.check.RangeCheck;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.VerbatimTexts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the settings of a start, and complains of all that are wrong at once: only when one is wrong, the others are
 * read again without it.
 */
public final class StartSettings {
    private static final int MOST_WRONG_VALUES = 20;
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(TributarySettings.PREFIX);

    private final ConfigurableEnvironment environment;

    /** What is wrong, a line for each. */
    private final List<String> lines = new ArrayList<>();

    /** Names that are read as if nobody had given them. */
    private final Set<ConfigurationPropertyName> leftOut = new HashSet<>();

    private StartSettings(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    /**
     * What the broker is told.
     *
     * @param arguments those of the program
     * @param others what is wrong besides, a line for each setting
     * @throws SettingException for all that is wrong, a line for each setting
     */
    public static ServerConfig read(ConfigurableEnvironment environment, String[] arguments, List<String> others) {
        ListenerLimitDefaults.addTo(environment);
        StartSettings settings = new StartSettings(environment);
        settings.checkNames(arguments);
        settings.lines.addAll(others);
        return settings.read();
    }

    private void checkNames(String... arguments) {
        Map<ConfigurationPropertyName, String> repeated = RepeatedSettings.find(arguments);
        leftOut.addAll(repeated.keySet());
        lines.addAll(repeated.values());
        Map<ConfigurationPropertyName, String> unknown = UnknownSettings.find(environment);
        leftOut.addAll(unknown.keySet());
        lines.addAll(unknown.values());
        List<ConfigurationPropertyName> foreign = ModeSettings.foreign(environment);
        if (!foreign.isEmpty()) {
            leftOut.addAll(foreign);
            lines.add(ModeSettings.words(foreign));
        }
    }

    private ServerConfig read() {
        for (int i = 0; i < MOST_WRONG_VALUES; i++) {
            try {
                ServerConfig config = bind().serverConfig();
                if (lines.isEmpty() && leftOut.isEmpty()) {
                    return config;
                }
                break;
            } catch (BindException e) {
                if (!leaveOut(e)) {
                    break;
                }
            } catch (SettingException e) {
                lines.addAll(e.lines());
                break;
            }
        }
        throw new SettingException(lines.stream().distinct().toList());
    }

    private TributarySettings bind() {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            sources.add(leftOut.isEmpty() ? source : source.filter(name -> !isLeftOut(source, name)));
        }
        Binder binder = new Binder(sources, new PropertySourcesPlaceholdersResolver(environment));
        return binder.bindOrCreate(
                TributarySettings.PREFIX,
                Bindable.of(TributarySettings.class),
                new VerbatimTexts(new RangeCheck(BindHandler.DEFAULT)));
    }

    /** Defaults stay; what was left out of the common limits is left out of the listeners', too. */
    private boolean isLeftOut(ConfigurationPropertySource source, ConfigurationPropertyName name) {
        if (GivenNames.isDefaults(source)) {
            return false;
        }
        ConfigurationPropertyName given =
                source.getUnderlyingSource() instanceof ListenerLimitDefaults defaults ? defaults.origin(name) : name;
        return leftOut.stream().anyMatch(left -> left.equals(given) || left.isAncestorOf(given));
    }

    /** Takes a wrong value down, and leaves it out from now on, or all around it; whether there is more to be read. */
    private boolean leaveOut(BindException failure) {
        ConfigurationPropertyName name = failure.getName();
        boolean isOwn = leftOut.stream().noneMatch(name::isAncestorOf); // else there is a gap where one was left out
        boolean isNew = leftOut.add(name);
        if (isNew && !(failure.getCause() instanceof UnboundConfigurationPropertiesException)) {
            lines.add(WrongValue.words(failure));
            return !name.equals(PREFIX);
        }
        if (isNew && isOwn) {
            lines.add(name + ": a place of the list is missing; they begin with [0], and all of them must be in one"
                    + " file, or all among the arguments");
        }
        ConfigurationPropertyName group = name.getParent();
        return (isNew || leftOut.add(group)) && !PREFIX.equals(group);
    }
}
