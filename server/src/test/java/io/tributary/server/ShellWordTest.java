package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordTest {
    @Test
    void usualNamesAreThemselves() {
        for (String name : List.of("meter-17", "plant/7:a@b.c_d", "caf\u00e9-1")) {
            assertThat(ShellWord.of(name)).contains(name);
        }
        assertThat(ShellWord.of("meter-17")).isEqualTo("meter-17");
        assertThat(ShellWord.of("a: device, subscriptions: 0")).isEqualTo("'a: device, subscriptions: 0'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "meter-1'$(touch /nowhere)'",
                "meter-\u0001",
                "two\nlines 'and' \\ more",
                "`id`",
                "~",
                "$HOME",
                "turned \u202e round",
                "\ud83d\ude00 '\u0007",
                "*"
            })
    void bashReadsTheName(String name) throws IOException {
        Process bash = new ProcessBuilder("bash", "-s").start();
        try (OutputStream script = bash.getOutputStream()) {
            script.write(("printf %s " + ShellWord.of(name)).getBytes(StandardCharsets.UTF_8));
        }
        assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(name);
    }
}
