package io.tributary.broker.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The words of docs/glossary.md have the homes that it says. */
class GlossaryTest {
    private static final Path ROOT = Path.of("..");
    /** "`broker/shard/Effects`": module, packages, class; or "[page](page.md)". */
    private static final Pattern HOME =
            Pattern.compile("`((common|persistence|broker)/[\\w/]+)`|\\]\\(([\\w/.-]+\\.md)\\)");

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

    private static Path fileOf(MatchResult home) {
        return home.group(3) != null
                ? ROOT.resolve("docs").resolve(home.group(3))
                : ROOT.resolve(home.group(2))
                        .resolve("src/main/java/io/tributary")
                        .resolve(home.group(1) + ".java");
    }
}
