package io.tributary.server.blackbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A version of the program as it is installed.
 *
 * @param launcher its {@code bin/tributary}
 * @param settings more for its brokers, as on the command line
 * @param lacks beginnings of settings that this version does not know; they are left out
 */
public record Installation(Path launcher, List<String> settings, List<String> lacks) {
    public Installation {
        settings = List.copyOf(settings);
        lacks = List.copyOf(lacks);
    }

    /** The version that {@code -Dupgrade.old} names; {@code -Dupgrade.old-lacks} has what it lacks, in a list. */
    public static Installation earlier() {
        return new Installation(
                named("upgrade.old"),
                List.of(),
                List.of(System.getProperty("upgrade.old-lacks", "none").split(",", -1)));
    }

    /** The version of this tree, which {@code -Dupgrade.new} names. */
    public static Installation present(String... settings) {
        return new Installation(named("upgrade.new"), List.of(settings), List.of());
    }

    private static Path named(String property) {
        return Path.of(Objects.requireNonNull(System.getProperty(property), property));
    }

    /** The command of a broker with these settings, as far as this version knows them. */
    List<String> run(List<String> ofBroker) {
        List<String> command = new ArrayList<>(List.of(launcher.toString(), "run"));
        ofBroker.stream()
                .filter(setting -> lacks.stream().noneMatch(setting::startsWith))
                .forEach(command::add);
        command.addAll(settings);
        return command;
    }

    /** One of its commands, without the words that it takes. */
    List<String> command(String name) {
        return List.of(launcher.toString(), name);
    }

    /** What the launcher is told by variables. */
    static Map<String, String> environment(List<String> javaOptions) {
        return Map.of(
                "TRIBUTARY_JAVA_HOME",
                System.getProperty("java.home"),
                "TRIBUTARY_JAVA_OPTS",
                String.join(" ", javaOptions));
    }
}
