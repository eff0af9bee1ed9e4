package io.tributary.server.settings;

import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.Resource;

/** Reads YAML files as Spring Boot does, and names the file, and the line, when one is no YAML, or cannot be read. */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
public final class NamingYamlLoader extends YamlPropertySourceLoader {
    private static final Pattern LINE = Pattern.compile(" in '?reader'?, line ([0-9]+), column [0-9]+:?");

    /** Spring Boot creates it. */
    public NamingYamlLoader() {}

    @Override
    public List<PropertySource<?>> load(String name, Resource resource) throws IOException {
        try {
            return super.load(name, resource);
        } catch (SettingException e) {
            throw e;
        } catch (RuntimeException e) {
            if (e.getCause() instanceof IOException barred) {
                throw new SettingException(WrongValue.file(resource), "cannot be read by this user: " + barred);
            }
            String said = String.valueOf(e.getMessage());
            throw new SettingException(WrongValue.file(resource) + line(said), "is no YAML: " + words(said));
        }
    }

    /** In front of {@link NamingYamlLoader}: of two files in a folder, properties win over YAML, as in Spring Boot. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    public static final class Properties extends PropertiesPropertySourceLoader {

        /** Spring Boot creates it. */
        public Properties() {}
    }

    /** The last line that is named, which is that of the mistake. */
    private static String line(String said) {
        Matcher line = LINE.matcher(said);
        String last = "";
        while (line.find()) {
            last = ", line " + line.group(1);
        }
        return last;
    }

    /** What is said besides the place and the text there, which is indented. */
    private static String words(String said) {
        return said.lines()
                .filter(line -> !line.isBlank() && !line.startsWith(" "))
                .collect(Collectors.joining(", "));
    }
}
