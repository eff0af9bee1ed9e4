package io.tributary.server.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.json.JsonParser;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The settings of Spring Boot, as its jars list them. Reading these lists takes as long as a tenth of a start: only
 * when a name is given that is not among the usual ones.
 */
final class SpringSettings {
    private static final String LIST = "META-INF/spring-configuration-metadata.json";

    /** What {@link #LIST} leaves out: how a start is to fail, and settings in one piece. */
    private static final List<String> UNLISTED = List.of("trace", "spring.application.json");

    private final Set<ConfigurationPropertyName> names = new HashSet<>();
    /** Names of maps and lists: anything may follow. */
    private final Set<ConfigurationPropertyName> open = new HashSet<>();

    private final List<String> asListed = new ArrayList<>();

    private SpringSettings() {
        UNLISTED.forEach(name -> add(name, ""));
    }

    /** Reads the lists of all jars. */
    static SpringSettings read() {
        SpringSettings settings = new SpringSettings();
        JsonParser parser = JsonParserFactory.getJsonParser();
        try {
            Enumeration<URL> lists = SpringSettings.class.getClassLoader().getResources(LIST);
            while (lists.hasMoreElements()) {
                try (InputStream list = lists.nextElement().openStream()) {
                    settings.add(parser.parseMap(new String(list.readAllBytes(), StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return settings;
    }

    /** Whether there is a setting of that name, or a map or a list that it is a part of. */
    boolean knows(ConfigurationPropertyName name) {
        if (names.contains(name)) {
            return true;
        }
        for (int size = name.getNumberOfElements() - 1; size > 0; size--) {
            if (open.contains(name.chop(size))) {
                return true;
            }
        }
        return false;
    }

    /** All names, as Spring Boot writes them; {@code <property>} at the end stands for anything. */
    List<String> names() {
        return asListed;
    }

    private void add(Map<String, Object> list) {
        if (list.get("properties") instanceof List<?> properties) {
            for (Object property : properties) {
                if (property instanceof Map<?, ?> described && !isGone(described) && !isOurs(described)) {
                    add(String.valueOf(described.get("name")), String.valueOf(described.get("type")));
                }
            }
        }
    }

    private void add(String name, String type) {
        ConfigurationPropertyName canonical = ConfigurationPropertyName.adapt(name, '.');
        names.add(canonical);
        boolean isMap = type.startsWith("java.util.Map");
        if (isMap || type.startsWith("java.util.") || type.endsWith("[]")) {
            open.add(canonical);
        }
        asListed.add(isMap ? name + ".<property>" : name);
    }

    /** Whether it is in the list of the broker's own jar, which editors read. */
    private static boolean isOurs(Map<?, ?> described) {
        return String.valueOf(described.get("name")).startsWith(TributarySettings.PREFIX + ".");
    }

    /** Whether Spring Boot lists it only to say that it has no effect any more. */
    private static boolean isGone(Map<?, ?> described) {
        return described.get("deprecation") instanceof Map<?, ?> deprecation
                && "error".equals(deprecation.get("level"));
    }
}
