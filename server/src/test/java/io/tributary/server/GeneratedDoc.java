package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file in {@code docs} that is generated from code, and checked to be up to date. */
public final class GeneratedDoc {
    private static final String COMMAND = "./tributary test '*DocsTest' -Ddocs.write=true";

    private GeneratedDoc() {}

    /** Compares what is committed with what would be generated now; with {@code -Ddocs.write=true}, writes it first. */
    public static void assertUpToDate(String name, String content) throws IOException {
        Path file = Path.of("..", "docs", name);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(file, content);
        }
        assertThat(Files.exists(file) ? Files.readString(file) : "")
                .as("docs/%s is generated and out of date. To generate it again: %s", name, COMMAND)
                .isEqualTo(content);
    }

    /** The text of a resource beside a class. */
    public static String template(Class<?> beside, String name) throws IOException {
        try (InputStream resource = beside.getResourceAsStream(name)) {
            assertThat(resource).as("the resource %s", name).isNotNull();
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
