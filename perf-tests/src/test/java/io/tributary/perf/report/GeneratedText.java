package io.tributary.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The parts of pages that tests write when they are run with {@code -Ddocs.write=true}, and compare otherwise. */
final class GeneratedText {
    private GeneratedText() {}

    /** The text of a page between {@code <!-- NAME: generated -->} and {@code <!-- end of NAME -->}. */
    static void check(Path page, String name, String text) throws IOException {
        String opening = "<!-- " + name + ": generated -->\n";
        String closing = "<!-- end of " + name + " -->";
        String all = Files.readString(page);
        int begin = all.indexOf(opening) + opening.length();
        int end = all.indexOf(closing);
        assertThat(end).as("%s ... %s in %s", opening, closing, page).isGreaterThanOrEqualTo(begin);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(page, all.substring(0, begin) + text + all.substring(end));
        } else {
            assertThat(all.substring(begin, end))
                    .as("out of date. To generate it again: ./tributary test '*InDocsTest' -Ddocs.write=true")
                    .isEqualTo(text);
        }
    }
}
