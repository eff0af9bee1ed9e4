package io.tributary.perf.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The built-in scenarios, by name; {@code built-in/index.txt} beside this class lists them. */
public final class Library {
    private static final Pattern YAML_NAME = Pattern.compile("\\.ya?ml$");

    private Library() {}

    /** The names, by family. */
    public static List<String> names() {
        return Resources.text("built-in/index.txt").lines().toList();
    }

    /**
     * A built-in scenario by its name, or a file by its path.
     *
     * @throws ScenarioException if there is neither
     */
    public static ScenarioFile find(String nameOrPath) {
        if (names().contains(nameOrPath)) {
            return ScenarioFile.of(nameOrPath, Resources.text("built-in/" + nameOrPath + ".yaml"));
        }
        Path path = Path.of(nameOrPath);
        if (!YAML_NAME.matcher(nameOrPath).find() || !Files.isReadable(path)) {
            throw new ScenarioException("there is no scenario '" + nameOrPath + "': neither built in (perf list) nor a"
                    + " readable .yaml file");
        }
        try {
            String name = YAML_NAME.matcher(path.getFileName().toString()).replaceFirst("");
            return ScenarioFile.of(name, Files.readString(path));
        } catch (IOException e) {
            throw new ScenarioException(nameOrPath + " cannot be read: " + e.getMessage(), e);
        }
    }
}
