package io.tributary.broker.boot.settings;

import io.tributary.broker.boot.settings.SettingCatalog.Setting;
import io.tributary.broker.boot.settings.check.SettingException;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Refuses names under {@code tributary.} that no setting has, for they are most often misspelt. Environment variables
 * are not looked at: the launcher has some of its own, and Kubernetes makes up more.
 */
public final class UnknownSettings {
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(TributarySettings.PREFIX);

    private UnknownSettings() {}

    /**
     * Looks through all that is configured.
     *
     * @throws SettingException for the first unknown name, with the nearest known one
     */
    public static void refuse(ConfigurableEnvironment environment) {
        List<Setting> settings = SettingCatalog.all();
        given(environment)
                .filter(name -> !SettingCatalog.knows(settings, name))
                .findFirst()
                .ifPresent(name -> refuse(name.toString(), settings));
    }

    /** The names under {@code tributary.} that are given anywhere but in environment variables. */
    static Stream<ConfigurationPropertyName> given(ConfigurableEnvironment environment) {
        Stream.Builder<Stream<ConfigurationPropertyName>> names = Stream.builder();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource known && !isProcessEnvironment(source)) {
                names.add(known.stream());
            }
        }
        return names.build().flatMap(Function.identity()).filter(PREFIX::isAncestorOf);
    }

    private static boolean isProcessEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && underlying.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private static void refuse(String name, List<Setting> settings) {
        String nearest = nearest(name, settings);
        String advice = isLikely(name, nearest)
                ? "did you mean " + nearest + "?"
                : "docs/configuration.md lists all that there are";
        throw new SettingException(name, "there is no such setting; " + advice);
    }

    /** The known name to which the fewest letters must change; chosen names in it are those of the unknown one. */
    private static String nearest(String name, List<Setting> settings) {
        return settings.stream()
                .map(setting -> adopt(setting.name(), name))
                .min(Comparator.comparingInt(known -> editDistance(known, name)))
                .orElseThrow();
    }

    /** Whether so few letters are wrong, at most a third of the last part of the name, that it was meant. */
    private static boolean isLikely(String name, String nearest) {
        int length = name.length() - name.lastIndexOf('.') - 1;
        return editDistance(nearest, name) <= (length + 2) / 3;
    }

    private static String adopt(String pattern, String name) {
        String[] elements = pattern.split("\\.", -1);
        String[] chosen = name.split("\\.", -1);
        for (int i = 0; i < elements.length; i++) {
            if (elements[i].startsWith("<") && i < chosen.length) {
                elements[i] = chosen[i];
            } else if (elements[i].endsWith("[<n>]") && i < chosen.length && chosen[i].endsWith("]")) {
                elements[i] = elements[i].replace("[<n>]", chosen[i].substring(chosen[i].indexOf('[')));
            }
        }
        return String.join(".", elements);
    }

    /** How many letters must be inserted, removed or replaced (Levenshtein). */
    static int editDistance(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
