package io.tributary.server.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links of the pages lead to files that are there, and to headings that these have; other sites are not tried. */
class LinksTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern CODE = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    /** "](page.md#heading)"; group 1 is the file, empty for the same page, and group 2 the heading. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)\\s#]*)(?:#([^)\\s]*))?\\)");

    private static final Pattern HEADING = Pattern.compile("^#{1,6} (.*)$", Pattern.MULTILINE);
    private static final Pattern MARKUP = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)|[^\\p{L}\\p{N} _-]");

    private final Map<Path, Set<String>> headings = new HashMap<>();

    @Test
    void linksLeadToFilesAndHeadingsThatAreThere() throws IOException {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (var link : LINK.matcher(text(page)).results().toList()) {
                links++;
                Path to = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
                if (!isThere(to, link.group(2))) {
                    dead.add(ROOT.relativize(page) + ": " + link.group().substring(1));
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThan(500);
    }

    private boolean isThere(Path file, String heading) throws IOException {
        if (!Files.exists(file)) {
            return false;
        }
        return heading == null
                || !file.toString().endsWith(".md")
                || headings(file).contains(heading);
    }

    private Set<String> headings(Path page) throws IOException {
        Path key = page.normalize();
        Set<String> known = headings.get(key);
        if (known == null) {
            known = new HashSet<>();
            for (var heading : HEADING.matcher(text(page)).results().toList()) {
                String name = anchor(heading.group(1));
                for (int again = 1; !known.add(name); again++) {
                    name = anchor(heading.group(1)) + "-" + again;
                }
            }
            headings.put(key, known);
        }
        return known;
    }

    /** As GitHub makes it: "What `hold` means" is "what-hold-means". */
    private static String anchor(String heading) {
        return MARKUP.matcher(heading)
                .replaceAll(
                        match -> match.group(1) == null ? "" : match.group(1).replaceAll("[`*]", ""))
                .strip()
                .toLowerCase(Locale.ROOT)
                .replace(' ', '-');
    }

    private static String text(Path page) throws IOException {
        return CODE.matcher(Files.readString(page)).replaceAll("");
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String folder : List.of("docs", "helm", "docker", "perf-tests/results")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
            }
        }
        try (Stream<Path> files = Files.list(ROOT)) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
        }
        assertThat(pages).hasSizeGreaterThan(50);
        return pages;
    }
}
