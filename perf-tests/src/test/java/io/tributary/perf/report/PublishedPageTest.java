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

    @Test
    void hasNoFiguresWhenOthersTookATenthOfTheMachine() throws IOException {
        keepWith("othersBusy", 0.62);
        assertThat(lines())
                .filteredOn(line -> line.startsWith("| PSMark-F | "))
                .allMatch(line -> line.endsWith("|  |  |"));
        assertThat(lines())
                .anyMatch(line -> line.startsWith("* **Other programs took more than a tenth of the machine**")
                        && line.contains("PSMark-F on Tributary standalone (62 %)"));
    }

    @Test
    void saysWhenOthersTookATwentiethOfTheMachine() throws IOException {
        keepWith("othersBusy", 0.07);
        assertThat(lines())
                .filteredOn(line -> line.startsWith("| PSMark-F | "))
                .noneMatch(line -> line.endsWith("|  |  |"));
        assertThat(lines())
                .anyMatch(line -> line.startsWith("* Other programs took more than 5 % of the machine: ")
                        && line.contains("PSMark-F on Tributary standalone (7 %)"));
    }

    @Test
    void hasFiguresWhenRunIsTooShortToSayWhatOthersTook() throws IOException {
        keepWith("othersBusy", 0.62);
        replace(results.resolve(TABLE + ".standalone.json"), "seconds", 0.3);
        assertThat(lines())
                .filteredOn(line -> line.startsWith("| PSMark-F | "))
                .noneMatch(line -> line.endsWith("|  |  |"));
        assertThat(lines()).anyMatch(line -> line.contains("it is not known what other programs took"));
    }

    @Test
    void saysAtLeastWhenThroughputIsThatOfTheTool() throws IOException {
        String table = "nats-table-1-qos-1.standalone.json";
        keep(table, table);
        assertThat(lines()).noneMatch(line -> line.contains("at least 332,421"));
        replace(results.resolve(table), "busiestLoop", 0.86);
        replace(results.resolve(table), "machineBusy", 0.54);
        assertThat(lines())
                .anyMatch(line -> line.contains("| at least 332,421 | at least 0.58 |"))
                .anyMatch(line -> line.startsWith("* *at least*: an event loop of the load tool"))
                .anyMatch(line -> line.startsWith("* Less than 70 % of the machine was busy")
                        && line.contains("1 to 1, 2 kB on Tributary standalone (54 %)"));
    }

    private void keepWith(String name, double value) throws IOException {
        keep(TABLE + ".standalone.json", TABLE + ".standalone.json");
        replace(results.resolve(TABLE + ".standalone.json"), name, value);
    }

    private static void replace(Path file, String name, double value) throws IOException {
        String text = Files.readString(file);
        Files.writeString(file, text.replaceAll("\"" + name + "\" : [-0-9.eE]+", "\"" + name + "\" : " + value));
    }

    private void keep(String from, String to) throws IOException {
        Files.copy(KEPT.resolve(from), results.resolve(to));
    }

    private List<String> lines() throws IOException {
        return PublishedPage.of(Published.read(), results).lines().toList();
    }
}
