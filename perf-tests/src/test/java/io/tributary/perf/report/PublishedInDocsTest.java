package io.tributary.perf.report;

import io.tributary.perf.paper.Published;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/published.md is that of the results in {@code perf-tests/results/published}. */
class PublishedInDocsTest {
    @Test
    void pageIsThatOfTheResults() throws IOException {
        GeneratedText.check(
                Path.of("..", "docs", "published.md"),
                "published",
                PublishedPage.of(Published.read(), Path.of("results", "published")));
    }
}
