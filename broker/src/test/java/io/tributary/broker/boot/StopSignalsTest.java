package io.tributary.broker.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisabledOnOs(OS.WINDOWS)
class StopSignalsTest {

    @ParameterizedTest
    @CsvSource({"TERM, TERM, 143", "TERM, INT, 130", "INT, INT, 130"})
    void secondSignalEndsAtOnce(String first, String second, int exitCode) throws Exception {
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
        try (ChildProcess program = new ChildProcess(StuckProgram.class, "200ms")) {
            program.linesUntilReady();
            program.signal("TERM");
            assertThat(program.rest()).contains("stopping", "not stopped after 200 ms (tributary.stop-timeout)");
            assertThat(program.exitCode()).isEqualTo(1);
        }
    }
}
