package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each decision is named by a class that follows from it, or by pom.xml, as CONTRIBUTING.md says. */
class DecisionsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern DECISION = Pattern.compile("docs/decisions/(\\d{4}-[\\w-]+\\.md)");

    @Test
    void isNamedBySomeClassOrTheBuildAndThereWhenNamed() throws IOException {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(namedBySources())
                    .containsExactlyInAnyOrderElementsOf(
                            pages.map(page -> page.getFileName().toString()).toList());
        }
    }

    @Test
    void hasANumberOfItsOwn() throws IOException {
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(pages.map(page -> page.getFileName().toString().substring(0, 4)))
                    .doesNotHaveDuplicates();
        }
    }

    private static Set<String> namedBySources() throws IOException {
        Set<String> named = new TreeSet<>();
        addNamedBy(ROOT.resolve("pom.xml"), named); // of the build
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path sources : modules.map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(sources)) {
                    for (Path file :
                            files.filter(it -> it.toString().endsWith(".java")).toList()) {
                        addNamedBy(file, named);
                    }
                }
            }
        }
        return named;
    }

    private static void addNamedBy(Path file, Set<String> named) throws IOException {
        DECISION.matcher(Files.readString(file)).results().forEach(it -> named.add(it.group(1)));
    }
}
