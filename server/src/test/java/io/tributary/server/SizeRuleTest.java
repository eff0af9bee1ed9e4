package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code tributary size}, and with it the rule by which the image shares memory out; it is the launcher's, in bash. */
class SizeRuleTest {
    private static final String LIB = "../dist/src/main/dist/lib/";

    private record Answer(int code, String text) {
        /** A row of the table: the number, or the size in MB. */
        long value(String row) {
            return text.lines()
                    .filter(line -> line.startsWith(row + " "))
                    .map(line -> line.substring(row.length()).strip().replaceFirst(" .*", ""))
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @CsvSource({"512, 0", "768, 1000", "2048, 9000", "8192, 100000", "65536, 500000"})
    void partsAreTheWhole(int memory, int clients) throws Exception {
        for (List<String> mode : List.of(List.<String>of(), List.of("--cluster"))) {
            Answer answer =
                    size(Stream.concat(Stream.of("--memory", memory + "m", "--clients=" + clients), mode.stream())
                            .toList());
            assertThat(answer.code()).as(answer.text()).isZero();
            assertThat(Stream.of("heap", "direct memory", "store", "other")
                            .mapToLong(answer::value)
                            .sum())
                    .isEqualTo(memory)
                    .isEqualTo(answer.value("memory"));
            assertThat(answer.value("heap")).isGreaterThan(answer.value("direct memory"));
            assertThat(answer.value("store")).isEqualTo(mode.isEmpty() ? 128 : 0);
            assertThat(answer.value("open files")).isEqualTo(clients + clients / 2 + 2_000);
            assertThat(answer.value("enough")).isLessThanOrEqualTo(memory);
            assertThat(answer.value("idle"))
                    .isEqualTo((mode.isEmpty() ? 240 : 290) + clients * 17L / 1024)
                    .isLessThan(answer.value("enough"));
        }
    }

    /** A broker with as much as is called enough for its clients has that for them. */
    @ParameterizedTest
    @ValueSource(ints = {100, 9_000, 100_000})
    void whatIsEnoughIsAccepted(int clients) throws Exception {
        long enough = size(List.of("--memory=64g", "--clients=" + clients)).value("enough");
        assertThat(size(List.of("--memory=" + enough + "m", "--clients=" + clients))
                        .text())
                .doesNotContain("little");
        if (enough > 512) {
            assertThat(size(List.of("--memory=" + (enough - 10) + "m", "--clients=" + clients))
                            .text())
                    .contains("are little for " + clients + " clients")
                    .contains(enough + " MB would be enough");
        }
    }

    @ParameterizedTest
    @CsvSource({"2147483648, 2048", "2048m, 2048", "2g, 2048", "2Gi, 2048", "2GB, 2048", "1048576k, 1024"})
    void sizesAreReadAsDockerAndKubernetesWriteThem(String given, int megabytes) throws Exception {
        assertThat(size(List.of("--memory", given)).value("memory")).isEqualTo(megabytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--memory=511m | 1 | there are 511 MB of memory, and the broker needs 512 MB",
                "--memory=600m --clients=1000000 | 1 | there are 600 MB of memory, and 1000000 clients",
                "--memory=much | 2 | --memory needs a size such as 2g or 512m, not 'much'",
                "--memory=2x | 2 | --memory needs a size such as 2g or 512m, not '2x'",
                "--clients=-1 | 2 | --clients needs a number, not '-1'",
                "--memory | 2 | --memory needs a value",
                "--nodes=3 | 2 | there is no option --nodes=3",
            })
    void whatCannotBeIsRefused(String words, int code, String reason) throws Exception {
        Answer answer = size(List.of(words.split(" ")));
        assertThat(answer.text()).contains(reason);
        assertThat(answer.code()).isEqualTo(code);
    }

    @Test
    void withoutWordsItIsOfThisMachine() throws Exception {
        assertThat(size(List.of()).value("heap")).isPositive();
    }

    private static Answer size(List<String> words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        "bash",
                                        "-euc",
                                        "COMMAND=tributary; . " + LIB + "launcher.sh; . " + LIB
                                                + "size.sh; size \"$@\"",
                                        "_"),
                                words.stream())
                        .toList())
                .redirectErrorStream(true)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), text);
    }
}
