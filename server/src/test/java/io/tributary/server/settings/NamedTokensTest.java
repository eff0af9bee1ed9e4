package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files with the tokens of administrators. */
class NamedTokensTest {
    private static final String ONE = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "fedcba9876543210fedcba9876543210";

    @TempDir
    private Path folder;

    @Test
    void tokenAloneIsThatOfAdmin() throws IOException {
        assertThat(read(ONE + "\n")).isEqualTo(Map.of(ONE, "admin"));
    }

    @Test
    void eachLineHasANameAndAToken() throws IOException {
        assertThat(read("ann:" + ONE + "\nann:" + OTHER + "\nbob@example.com:" + ONE + "7\n"))
                .isEqualTo(Map.of(ONE, "ann", OTHER, "ann", ONE + "7", "bob@example.com"));
        assertThat(read("ann:" + ONE)).isEqualTo(Map.of(ONE, "ann"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ann:short                   | line 1, must have a token of 32 characters or more
            ann:ONE;OTHER               | line 2, must be NAME:TOKEN
            ONE;OTHER                   | line 1, must be NAME:TOKEN
            an n:ONE                    | line 1, must be NAME:TOKEN
            an n:ONE;bob:OTHER          | line 1, must be NAME:TOKEN
            (guard):ONE;bob:OTHER       | line 1, must be NAME:TOKEN
            ann:ONE;bob:ONE             | line 2, has a token that is there already
            ann:ONE;;bob:OTHER          | must have 1 to 100 lines
            """)
    void wrongFileIsRefusedInWordsWithoutATokenInThem(String content, String words) {
        assertThatExceptionOfType(SettingException.class)
                .isThrownBy(() ->
                        read(content.replace("ONE", ONE).replace("OTHER", OTHER).replace(';', '\n')))
                .withMessageContaining(words)
                .withMessageNotContainingAny(ONE, OTHER);
    }

    private Map<String, String> read(String content) throws IOException {
        Path file = Files.writeString(folder.resolve("tokens"), content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return NamedTokens.read("setting", file);
    }
}
