package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The first commands of README.md show their message whenever they are run, in a terminal and as a script. */
@ExtendWith(BrokerExtension.class)
class ReadmeTest {
    private static final int TIMES = 50;
    private static final Pattern FIRST_BLOCK = Pattern.compile("(?ms)^```\n(mosquitto_pub .*?)^```");
    private static final String MESSAGE = "home/kitchen/temperature 21.5";

    @BeforeAll
    static void needMosquitto() {
        ScriptHost.require("bash", "-c", "command -v mosquitto_sub");
    }

    @Test
    void firstCommandsShowTheirMessageInATerminal(BrokerProcess broker) throws Exception {
        Path script = ScriptHost.copy(Scratch.folder("terminal"), "terminal.py");
        for (int i = 0; i < TIMES; i++) {
            assertThat(shownBy(List.of("python3", script.toString()), firstBlock(broker)))
                    .contains(MESSAGE);
        }
    }

    @Test
    void firstCommandsShowTheirMessageAsAScript(BrokerProcess broker) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            assertThat(shownBy(List.of("bash", "-s"), firstBlock(broker))).containsExactly(MESSAGE);
        }
    }

    private static String firstBlock(BrokerProcess broker) throws IOException {
        Matcher block = FIRST_BLOCK.matcher(Files.readString(Path.of("..", "README.md")));
        assertThat(block.find()).isTrue();
        return block.group(1).replace("-h 127.0.0.1", "-h 127.0.0.1 -p " + broker.tcpPort());
    }

    private static List<String> shownBy(List<String> command, String input) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(UTF_8));
        }
        return new String(process.getInputStream().readAllBytes(), UTF_8)
                .lines()
                .map(String::strip)
                .toList();
    }
}
