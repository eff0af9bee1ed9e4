package io.tributary.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.perf.paper.Published;
import io.tributary.perf.paper.PublishedTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublishedPageTest {
    private static final Path KEPT = Path.of("results", "published");
    private static final String TABLE = "psmark-table-7";

    @TempDir
    private Path results;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "standalone                      | standalone.json",
                "cluster:5,kafka=5,redis=11      | cluster.json",
                "haproxy:${policy}:3             | haproxy.json",
                "nginx:round-robin:3:mosquitto   | nginx-mosquitto.json"
            })
    void isOneColumnWhenTargetsDifferInPolicyAndSizeAlone(String target, String file) {
        PublishedTable table = Published.read().table(TABLE);
        assertThat(PublishedPage.fileName(table, target, false)).isEqualTo(TABLE + "." + file);
    }

    @Test
    void hasBothFormsBesideEachOtherWhenBothWereRun() throws IOException {
        keep(TABLE + ".standalone.json", TABLE + ".standalone.json");
        keep(TABLE + ".standalone.json", TABLE + ".standalone.full.json");
        List<String> lines = lines();
        assertThat(lines).anyMatch(line -> line.contains("; in full (`--full`): "));
        assertThat(lines).noneMatch(line -> line.contains("medians of ")); // each figure is of one run
        assertThat(lines).anyMatch(line -> line.contains("| **Tributary, in full** | **Tributary** | ratio |"));
    }

    @Test
    void hasRatioOfTheFullFormWhenNoOtherWasRun() throws IOException {
        keep(TABLE + ".standalone.json", TABLE + ".standalone.full.json");
        keep(TABLE + ".mosquitto.json", TABLE + ".mosquitto.json");
        String mean = lines().stream()
                .filter(line -> line.startsWith("| PSMark-F | "))
                .findFirst()
                .orElseThrow();
        assertThat(mean).matches(".*\\| [0-9.]+ \\| [0-9.]+ \\| [0-9.]+ \\|");
    }

    @Test
    void hasNoRatioWhenOthersAloneWereRun() throws IOException {
        keep(TABLE + ".mosquitto.json", TABLE + ".mosquitto.json");
        assertThat(lines())
                .filteredOn(line -> line.startsWith("| PSMark-F | "))
                .isNotEmpty()
                .allMatch(line -> line.endsWith("|  |"));
    }

    @Test
    void leavesOutWhatIsNoResult() throws IOException {
        keep(TABLE + ".standalone.json", TABLE + ".standalone.json");
        Files.writeString(results.resolve(TABLE + ".html"), "<p>its curves</p>");
        assertThat(lines()).anyMatch(line -> line.contains("| **Tributary** | ratio |"));
    }

    private void keep(String from, String to) throws IOException {
        Files.copy(KEPT.resolve(from), results.resolve(to));
    }

    private List<String> lines() throws IOException {
        return PublishedPage.of(Published.read(), results).lines().toList();
    }
}
