package io.tributary.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ThisMachineTest {

    @Test
    void countsProcessorsThatHaveALineOfTheirOwn() {
        assertThat(ThisMachine.processors(Stream.of("cpu  9 0 9 9 0 0 0 0 0 0", "cpu0 1 0 1", "cpu11 1 0 1", "intr 5")))
                .isEqualTo(2);
    }

    /** As with a share of the processors, or in a container with a quota. */
    @Test
    void hasAllProcessorsOfTheMachineWhenTheJvmMayUseOne() throws Exception {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:ActiveProcessorCount=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()))
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(said.strip()).endsWith("" + ThisMachine.describe().cores());
        assertThat(ThisMachine.describe().cores())
                .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    /** Says how many there are. */
    static final class Main {
        private Main() {}

        public static void main(String[] words) {
            System.out.println(ThisMachine.describe().cores());
        }
    }
}
