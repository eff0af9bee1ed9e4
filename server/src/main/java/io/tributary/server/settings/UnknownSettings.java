package io.tributary.server.settings;

import io.tributary.server.settings.SettingCatalog.Setting;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds names that no setting has, for they are most often misspelt: all in arguments and files, whether they are meant
 * for the broker or for Spring Boot. Of environment variables {@link UnknownVariables} knows.
 */
final class UnknownSettings {
    /** Settings of Spring Boot that are given so often that it pays to know them. */
    private static final Set<ConfigurationPropertyName> USUAL = Set.of(
            ConfigurationPropertyName.of("debug"),
            ConfigurationPropertyName.of("server.address"),
            ConfigurationPropertyName.of("server.port"),
            ConfigurationPropertyName.of("logging.file.name"),
            ConfigurationPropertyName.of("logging.structured.format.console"),
            ConfigurationPropertyName.of("spring.config.additional-location"),
            ConfigurationPropertyName.of("spring.config.location"));

    /** As in files of Docker Compose: what begins with it is nobody's setting. */
    private static final String OWN = "x-";

    private static final Set<ConfigurationPropertyName> ROOTS = Stream.of(
                    TributarySettings.PREFIX, "logging", "management", "server", "spring")
            .map(ConfigurationPropertyName::of)
            .collect(Collectors.toUnmodifiableSet());

    private static final ConfigurationPropertyName LEVELS = ConfigurationPropertyName.of("logging.level");
    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of(TributarySettings.PREFIX);

    private UnknownSettings() {}

    /** A line for each unknown name, with the nearest known one; by name. */
    static Map<ConfigurationPropertyName, String> find(ConfigurableEnvironment environment) {
        List<Setting> settings = SettingCatalog.all();
        Supplier<SpringSettings> spring = SingletonSupplier.of(SpringSettings::read);
        Map<ConfigurationPropertyName, String> lines = new LinkedHashMap<>();
        GivenNames.all(environment).forEach((name, source) -> {
            String words = null;
            if (PREFIX.isAncestorOf(name)) {
                words = SettingCatalog.knows(settings, name) ? null : ofTributary(name, settings);
            } else if (!isOwn(name)
                    && !isUsual(name)
                    && !isEmptyRoot(environment, name)
                    && !spring.get().knows(name)) {
                words = ofNobody(name, settings, spring.get());
            }
            if (words != null) {
                lines.put(name, name + ": " + words + WrongValue.place(source.getConfigurationProperty(name)));
            }
        });
        return lines;
    }

    /** A name that operators gave to something of their own, such as a YAML anchor. */
    private static boolean isOwn(ConfigurationPropertyName name) {
        return name.getElement(0, ConfigurationPropertyName.Form.ORIGINAL).startsWith(OWN);
    }

    private static boolean isUsual(ConfigurationPropertyName name) {
        return USUAL.contains(name) || LEVELS.isAncestorOf(name);
    }

    /** A file in which all below {@code tributary:} or {@code logging:} is a comment. */
    private static boolean isEmptyRoot(ConfigurableEnvironment environment, ConfigurationPropertyName name) {
        return ROOTS.contains(name)
                && environment.getProperty(name.toString(), "").isEmpty();
    }

    private static String ofTributary(ConfigurationPropertyName name, List<Setting> settings) {
        List<String> known = names(settings);
        return group(name, known)
                .or(() -> list(name, known))
                .orElseGet(() -> "there is no such setting; " + NearestName.advice(name.toString(), known));
    }

    private static String ofNobody(ConfigurationPropertyName name, List<Setting> settings, SpringSettings spring) {
        List<String> known = names(settings);
        known.addAll(spring.names());
        return group(name, known)
                .orElseGet(() -> "there is no such setting; " + NearestName.advice(name.toString(), known));
    }

    /** What is said of the name of a group, whose settings are below it. */
    private static Optional<String> group(ConfigurationPropertyName name, List<String> known) {
        return known.stream()
                .map(setting -> NearestName.adopt(setting, name.toString()))
                .filter(setting -> setting.startsWith(name + "."))
                .findFirst()
                .map(setting ->
                        "is a group of settings, such as " + setting + "; in a YAML file they are indented below it");
    }

    /** What is said of a list without parts, of a list where names belong, and of names where a list belongs. */
    private static Optional<String> list(ConfigurationPropertyName name, List<String> known) {
        if (known.stream()
                .anyMatch(setting -> NearestName.adopt(setting, name.toString()).startsWith(name + "[<n>]"))) {
            return Optional.of("is a list, and must not be empty; its first part is " + name + "[0]");
        }
        for (int i = 0; i < name.getNumberOfElements(); i++) {
            String before = name.chop(i).toString();
            if (name.isNumericIndex(i) && known.stream().anyMatch(setting -> setting.startsWith(before + ".<name>"))) {
                return Optional.of("is a part of a list, and " + before
                        + " is none; it has a name in this place, such as " + before + ".tcp");
            }
            if (!name.isNumericIndex(i) && known.stream().anyMatch(setting -> setting.startsWith(before + "[<n>]"))) {
                return Optional.of("has no place in the list; the first of " + before + " is " + before + "[0]");
            }
        }
        return Optional.empty();
    }

    private static List<String> names(List<Setting> settings) {
        return new ArrayList<>(settings.stream().map(Setting::name).toList());
    }
}
