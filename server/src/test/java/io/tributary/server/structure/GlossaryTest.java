package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words of docs/glossary.md have the homes that it says, and classes that other pages name are there. */
class GlossaryTest {
    private static final Path ROOT = Path.of("..");
    /** "`broker/shard/Effects`": module, packages, class; or "[page](page.md)". */
    private static final Pattern HOME = Pattern.compile(
            "`((common|persistence|broker|security|cluster|server)/[\\w/]+)`|\\]\\(([\\w/.-]+\\.md)\\)");

    private static final Pattern CLASS =
            Pattern.compile("`((common|persistence|broker|security|cluster|server)/[\\w/]*/[A-Z]\\w*)`()");

    @Test
    void eachWordHasAHomeThatIsThere() throws IOException {
        List<String> words = Files.readAllLines(ROOT.resolve("docs/glossary.md")).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| word") && !line.startsWith("| ---"))
                .toList();
        assertThat(words).hasSizeGreaterThan(50);
        for (String word : words) {
            List<MatchResult> homes = HOME.matcher(word).results().toList();
            assertThat(homes).as(word).isNotEmpty();
            assertThat(homes).allSatisfy(home -> assertThat(fileOf(home)).exists());
        }
    }

    @Test
    void pagesNameClassesThatAreThere() throws IOException {
        int classes = 0;
        for (Path page : pages()) {
            List<MatchResult> named =
                    CLASS.matcher(Files.readString(page)).results().toList();
            assertThat(named)
                    .as("%s", page)
                    .allSatisfy(each -> assertThat(fileOf(each)).exists());
            classes += named.size();
        }
        assertThat(classes).isGreaterThan(100);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("CONTRIBUTING.md")),
                            docs.filter(file -> file.toString().endsWith(".md")))
                    .toList();
        }
    }

    private static Path fileOf(MatchResult home) {
        return home.group(3) != null && !home.group(3).isEmpty()
                ? ROOT.resolve("docs").resolve(home.group(3))
                : ROOT.resolve(home.group(2))
                        .resolve("src/main/java/io/tributary")
                        .resolve(home.group(1) + ".java");
    }
}
