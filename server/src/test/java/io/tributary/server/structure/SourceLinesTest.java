package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Comments end at 120 columns, as .editorconfig says; code does by the formatter, which leaves comments alone. */
class SourceLinesTest {
    private static final int COLUMNS = 120;
    private static final Path ROOT = Path.of("..");

    @Test
    void commentsEndAtTheLastColumn() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path source : sources()) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                if (isComment(lines.get(i)) && lines.get(i).length() > COLUMNS) {
                    tooLong.add(ROOT.relativize(source) + ":" + (i + 1));
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static boolean isComment(String line) {
        String text = line.strip();
        return text.startsWith("*") || text.startsWith("//") || text.startsWith("/*");
    }

    private static List<Path> sources() throws IOException {
        List<Path> all = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.map(module -> module.resolve("src"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(all::add);
                }
            }
        }
        assertThat(all).hasSizeGreaterThan(900);
        return all;
    }
}
