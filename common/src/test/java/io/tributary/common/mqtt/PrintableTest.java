package io.tributary.common.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
    @ParameterizedTest
    @ValueSource(ints = {0, '\n', '\r', 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x200b, 0x2028, 0x2029, 0x202e, 0xe0001})
    void charactersThatForgeLinesOrHideTextAreNotShown(int character) {
        assertThat(Printable.of("a" + Character.toString(character) + "b")).isEqualTo("a?b");
    }

    @Test
    void textOfPeopleStays() {
        String text = "devices/7 \u00e4\u65e5\ud83d\ude00 (tenant acme)";
        assertThat(Printable.of(text)).isSameAs(text);
        assertThat(Printable.of("\ud83d\ude00\n\ud83d\ude00")).isEqualTo("\ud83d\ude00?\ud83d\ude00");
        assertThat(Printable.startOf("x".repeat(80))).isEqualTo("x".repeat(80));
        assertThat(Printable.startOf("\n" + "x".repeat(80))).isEqualTo("?" + "x".repeat(79) + "...");
    }
}
