package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.Program;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class RunCommandTest {
    private final RunCommand command = new RunCommand();
    private final StringWriter err = new StringWriter();

    @Test
    void translatesShortOptionsAndPassesSettingsOn() {
        assertThat(execute(
                        "--port=2883",
                        "--tributary.storage.sync=always",
                        "--ws-port",
                        "0",
                        "--debug",
                        "--data",
                        "my data"))
                .isZero();
        assertThat(command.settings())
                .containsExactly(
                        "--tributary.listeners.tcp.port=2883",
                        "--tributary.listeners.ws.port=0",
                        "--tributary.data-dir=" + Path.of("my data").toAbsolutePath(),
                        "--tributary.storage.sync=always",
                        "--debug");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--prot 1883          | Unknown option: '--prot'; did you mean --port?",
                "--port=x             | --port needs a port number, not 'x'",
                "--port 70000         | --port: there is no port 70000",
                "--port 1 --port 2    | --port",
                "--port 1 --tributary.listeners.tcp.port=2 | --port (tributary.listeners.tcp.port) is given twice",
                "--tributary.data-dir=a --data b           | --data (tributary.data-dir) is given twice",
                "--data=              | --data needs a directory",
                "--data               | --data",
                "--tributary.data-dir | '--tributary.data-dir'",
                "--key=value          | '--key=value'",
                "1883                 | '1883'",
            })
    void saysWhatIsWrongWhenCalledWrongly(String words, String message) {
        assertThat(execute(words.split(" +", -1))).isEqualTo(2);
        assertThat(err.toString()).startsWith("tributary: ").contains(message);
    }

    private int execute(String... words) {
        CommandLine line = Program.commandLine(command);
        line.setErr(new PrintWriter(err, true));
        return line.execute(words);
    }
}
