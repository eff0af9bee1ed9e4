package io.tributary.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The alerts in docs/prometheus, by Prometheus' own tool. Whether their meters exist, a cluster's scrape says. */
class AlertRulesTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"alerts-test.yaml", "alerts-days-test.yaml"})
    void alertsFireWhenTheyAreToAndNotBefore(String name) throws Exception {
        Files.copy(Path.of("..", "docs", "prometheus", "alerts.yaml"), folder.resolve("alerts.yaml"));
        Path tests = folder.resolve(name);
        try (InputStream source = getClass().getResourceAsStream(name)) {
            Files.copy(Objects.requireNonNull(source), tests);
        }
        Process tool = promtool("test", "rules", tests.toString());
        String said = new String(tool.getInputStream().readAllBytes(), UTF_8);
        assertThat(tool.waitFor()).as(said).isZero();
        assertThat(said).contains("SUCCESS");
    }

    @Test
    void eachAlertHasASectionOfTheRunbookAndEachSectionAnAlert() throws IOException {
        assertThat(found("docs/runbook.md", "^### (Tributary\\w+)$"))
                .containsExactlyInAnyOrderElementsOf(found("docs/prometheus/alerts.yaml", "- alert: (\\w+)$"));
    }

    private static List<String> found(String file, String pattern) throws IOException {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("..").resolve(file)))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static Process promtool(String... arguments) {
        ProcessBuilder builder = new ProcessBuilder("promtool").redirectErrorStream(true);
        builder.command().addAll(List.of(arguments));
        try {
            return builder.start();
        } catch (IOException absent) {
            assumeTrue(false, "not on this machine: promtool");
            throw new IllegalStateException(absent);
        }
    }
}
