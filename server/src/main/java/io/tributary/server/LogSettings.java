package io.tributary.server;

import io.tributary.server.settings.WrongValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.logging.LogLevel;
import org.springframework.core.env.Environment;
import org.springframework.util.ResourceUtils;

/** Settings of the log of which Spring Boot would complain with a page of stack trace, or without naming them. */
final class LogSettings {
    private static final List<String> FORMAT =
            List.of("logging.structured.format.console", "logging.structured.format.file");
    private static final Set<String> FORMATS = Set.of("ecs", "gelf", "logstash");
    private static final String CONFIG = "logging.config";
    private static final String FILE = "logging.file.name";
    private static final String LEVEL = "logging.level";

    private final Environment environment;
    private final List<String> lines = new ArrayList<>();

    private LogSettings(Environment environment) {
        this.environment = environment;
    }

    /** A line for each that is wrong. */
    static List<String> wrong(Environment environment) {
        LogSettings settings = new LogSettings(environment);
        FORMAT.forEach(settings::checkFormat);
        settings.checkConfig();
        settings.checkFile();
        settings.checkLevels();
        return settings.lines;
    }

    private void checkFormat(String name) {
        String format = environment.getProperty(name, "");
        boolean isClass = format.contains(".");
        if (!format.isEmpty() && !isClass && !FORMATS.contains(format.toLowerCase(Locale.ROOT))) {
            lines.add(name + ": '" + format + "' is not one of ecs, gelf, logstash, nor the name of a class");
        }
    }

    private void checkConfig() {
        String config = environment.getProperty(CONFIG, "").strip();
        if (config.isEmpty() || config.startsWith("-D")) { // Spring Boot ignores the latter, too
            return;
        }
        try (InputStream file = ResourceUtils.toURL(config).openStream()) {
            file.read();
        } catch (IOException e) {
            lines.add(CONFIG + ": '" + config + "' is not a file that can be read");
        }
    }

    /** Begins the file, as the log would. */
    private void checkFile() {
        String name = environment.getProperty(FILE, "");
        if (name.isEmpty()) {
            return;
        }
        try {
            Path file = Path.of(name).toAbsolutePath();
            if (file.getParent() != null) {
                Files.createDirectories(file.getParent());
            }
            try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
                out.flush();
            }
        } catch (IOException | InvalidPathException e) {
            lines.add(FILE + ": '" + name + "' is not a file that can be written");
        }
    }

    private void checkLevels() {
        try {
            Binder.get(environment).bind(LEVEL, Bindable.mapOf(String.class, LogLevel.class));
        } catch (BindException e) {
            lines.add(WrongValue.words(e));
        }
    }
}
