package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.RecordFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of docs/formats.md is true: which classes have formats, their numbers, and the tests that hold them. */
class FormatsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern OWN_NUMBER = Pattern.compile("int FORMAT = (\\d+);");
    private static final Pattern QUOTED = Pattern.compile("`(\\w+)`");
    private static final int WHAT = 1;
    private static final int CLASS = 3;
    private static final int NUMBER = 4;
    private static final int TEST = 6;

    private final Map<String, String> main = sources("src/main/java");
    private final Map<String, String> tests = sources("src/test/java");
    private final String page = read(ROOT.resolve("docs/formats.md"));
    private final List<String[]> rows = page.lines()
            .dropWhile(line -> !line.startsWith("| what | where "))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .map(line -> line.split(" *\\| *", -1))
            .toList();

    @Test
    void hasEachClassThatReadsAFormat() {
        TreeSet<String> reading = new TreeSet<>();
        main.forEach((name, source) -> {
            if (source.contains(".expectFormat(")) {
                reading.add(name);
            }
        });
        assertThat(reading).hasSizeGreaterThan(10);
        assertThat(rows.stream().map(row -> quoted(row[CLASS])).toList()).containsAll(reading);
    }

    @Test
    void hasTheNumbersOfTheCode() {
        assertThat(page).contains("The common number is **" + RecordFormat.NEWEST + "**");
        assertThat(rows).hasSizeGreaterThan(15).allSatisfy(row -> {
            String source = main.get(quoted(row[CLASS]));
            assertThat(source).as(row[WHAT]).isNotNull();
            Matcher own = OWN_NUMBER.matcher(source);
            if (own.find()) {
                assertThat(row[NUMBER]).as(row[WHAT]).startsWith(own.group(1));
            } else if (source.contains("expectFormat(")) {
                assertThat(row[NUMBER]).as(row[WHAT]).startsWith("common");
            }
        });
    }

    /** Programs of others read these records by that page. */
    @Test
    void formatsThatReadersOfApplicationTopicsMeetAreThoseOfTheCode() {
        assertThat(read(ROOT.resolve("docs/applications.md")))
                .contains("| the format of records: 1 to " + RecordFormat.NEWEST + ", ");
    }

    @Test
    void namesTestsThatKnowTheClass() {
        assertThat(rows).allSatisfy(row -> {
            assertThat(row[TEST]).as(row[WHAT]).isNotEmpty();
            assertThat(tests.get(quoted(row[TEST])))
                    .as(row[WHAT] + ": " + row[TEST])
                    .isNotNull();
        });
    }

    private static String quoted(String cell) {
        Matcher name = QUOTED.matcher(cell);
        assertThat(name.find()).as(cell).isTrue();
        return name.group(1);
    }

    /** By the names of their types. */
    private static Map<String, String> sources(String folder) {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.map(one -> one.resolve(folder))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .forEach(file ->
                                    sources.put(file.getFileName().toString().replace(".java", ""), read(file)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return sources;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
