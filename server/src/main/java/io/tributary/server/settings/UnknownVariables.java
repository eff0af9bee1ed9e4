package io.tributary.server.settings;

import io.tributary.server.settings.SettingCatalog.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds environment variables that look like settings of the broker and are none. They do not stop a start: other
 * programs make up names there, Kubernetes for one.
 */
public final class UnknownVariables {
    private static final String PREFIX = TributarySettings.PREFIX.toUpperCase(Locale.ROOT) + "_";
    private static final Set<String> OF_LAUNCHER = Set.of(
            "TRIBUTARY_EXPECTED_CLIENTS",
            "TRIBUTARY_JAVA_HOME",
            "TRIBUTARY_JAVA_OPTS",
            "TRIBUTARY_MEMORY",
            "TRIBUTARY_PERF_OPTS");

    /** What Kubernetes tells a pod of each service, here of those whose names begin with ours. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("\\w+_(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_[0-9]+_[A-Z]+(_(PROTO|PORT|ADDR))?)");

    private static final Pattern SERVICE_ADDRESS = Pattern.compile("[a-z]+://.*");

    private UnknownVariables() {}

    /** The names of those that mean nothing, in order. */
    public static List<String> find(Map<String, ?> environment) {
        List<String> ours = environment.keySet().stream()
                .filter(name -> name.startsWith(PREFIX) && !OF_LAUNCHER.contains(name))
                .filter(name -> !isServiceLink(name, String.valueOf(environment.get(name))))
                .sorted()
                .toList();
        if (ours.isEmpty()) {
            return ours;
        }
        List<Pattern> known =
                SettingCatalog.all().stream().map(UnknownVariables::variable).toList();
        return ours.stream()
                .filter(name -> known.stream()
                        .noneMatch(pattern -> pattern.matcher(name).matches()))
                .toList();
    }

    private static boolean isServiceLink(String name, String value) {
        return SERVICE_LINK.matcher(name).matches()
                || (name.endsWith("_PORT") && SERVICE_ADDRESS.matcher(value).matches());
    }

    /** How Spring Boot reads it: dots are underscores, dashes are left out or are underscores, too. */
    private static Pattern variable(Setting setting) {
        return Pattern.compile(setting.name()
                .toUpperCase(Locale.ROOT)
                .replace("[<N>]", "_\\d+")
                .replace("<NAME>", "\\w+")
                .replace("<PROPERTY>", "\\w+")
                .replace("-", "_?")
                .replace(".", "_")
                .concat(setting.isList() ? "(_\\d+)?" : ""));
    }
}
