package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each attack in docs/security.md has tests that are there, or says that there is none yet. */
class AttackTableTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)`");

    @Test
    void testsAreThereThatTheTableNames() throws IOException {
        Set<String> tests = tests();
        List<String> rows = Files.readString(ROOT.resolve("docs/security.md"))
                .split("## Attacks that brokers have had", -1)[1]
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| what an") && !line.startsWith("| ---"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(25).allSatisfy(row -> {
            List<String> named = TEST.matcher(row)
                    .results()
                    .map((MatchResult match) -> match.group(1))
                    .toList();
            assertThat(tests).as(row).containsAll(named);
            assertThat(!named.isEmpty() || row.contains("none yet")).as(row).isTrue();
        });
    }

    private static Set<String> tests() throws IOException {
        Set<String> tests = new HashSet<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.map(one -> one.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith("Test.java"))
                            .forEach(name -> tests.add(name.replace(".java", "")));
                }
            }
        }
        return tests;
    }
}
