package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisabledOnOs(OS.WINDOWS)
class StopSignalsTest {
    private static final int SIGINT = 2;

    @ParameterizedTest
    @CsvSource({"TERM, TERM, 143", "TERM, INT, 130", "INT, INT, 130"})
    void secondSignalEndsAtOnce(String first, String second, int exitCode) throws Exception {
        assumeFalse(isIgnored(SIGINT), "this process was started with SIGINT ignored, and so is its child");
        try (ChildProcess program = new ChildProcess(StuckProgram.class, "60s")) {
            program.linesUntilReady();
            program.signal(first);
            program.awaitLine("stopping");
            program.signal(second);
            assertThat(program.exitCode()).isEqualTo(exitCode);
        }
    }

    @Test
    void stopThatTakesTooLongIsCutOff() throws Exception {
        try (ChildProcess program = new ChildProcess(StuckProgram.class, "2s")) {
            program.linesUntilReady();
            program.signal("TERM");
            assertThat(program.rest()).contains("stopping", "not stopped after 2000 ms (tributary.stop-timeout)");
            assertThat(program.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void startIsGivenUpWhenSignalComes() throws Exception {
        try (ChildProcess program = new ChildProcess(SlowStart.class)) {
            program.awaitLine("starting");
            program.signal("TERM");
            assertThat(program.rest())
                    .contains("stopping: the start is given up", "closed")
                    .doesNotContain("went on", "could not start", "not stopped after");
            assertThat(program.exitCode()).isZero();
        }
    }

    @Test
    void failureOfAStartShowsItsStackTraceWhenDebugIsAskedForWhereverItHappened() throws Exception {
        String wrong = "--tributary.storage.sync=never";
        try (ChildProcess program = new ChildProcess(TributaryApplication.class, wrong);
                ChildProcess verbose = new ChildProcess(TributaryApplication.class, wrong, "--debug")) {
            assertThat(program.rest())
                    .contains("could not start: tributary.storage.sync")
                    .doesNotContain("\tat ");
            assertThat(verbose.rest())
                    .contains(
                            "could not start: tributary.storage.sync", "SettingException", "\tat io.tributary.server");
            assertThat(verbose.exitCode()).isEqualTo(1);
        }
    }

    /** Whether children begin with the signal ignored; a shell does that to what it runs in the background. */
    private static boolean isIgnored(int signal) throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.isReadable(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .map(line -> Long.parseUnsignedLong(
                                line.substring("SigIgn:".length()).strip(), 16))
                        .anyMatch(ignored -> (ignored >> (signal - 1) & 1) == 1);
    }
}
