package io.tributary.server.advisories;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.boot.json.JsonParseException;
import org.springframework.boot.json.JsonParserFactory;

/**
 * A library of this program.
 *
 * @param name {@code group:artifact}
 */
record Library(String name, String version) {
    private static final String OURS = "io.tributary";

    /**
     * Those of a bill of materials in the format CycloneDX, without our own.
     *
     * @throws IllegalArgumentException when it is none
     */
    static List<Library> of(Path file) throws IOException {
        Map<String, Object> tree;
        try {
            tree = JsonParserFactory.getJsonParser().parseMap(Files.readString(file));
        } catch (JsonParseException e) {
            throw new IllegalArgumentException("'" + file + "' is not JSON", e);
        }
        if (!(tree.get("components") instanceof List<?> components)) {
            throw new IllegalArgumentException("'" + file + "' is no bill of materials of CycloneDX: no components");
        }
        return components.stream()
                .filter(Map.class::isInstance)
                .<Map<?, ?>>map(component -> (Map<?, ?>) component)
                .filter(component -> !OURS.equals(component.get("group")))
                .map(component -> new Library(
                        component.get("group") + ":" + component.get("name"), String.valueOf(component.get("version"))))
                .distinct()
                .toList();
    }

    @Override
    public String toString() {
        return name + " " + version;
    }
}
