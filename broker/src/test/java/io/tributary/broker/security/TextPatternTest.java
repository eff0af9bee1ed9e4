package io.tributary.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextPatternTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            app                   | app              | true
            app                   | App              | false
            app                   | app1             | false
            app-*                 | app-             | true
            app-*                 | app-billing      | true
            app-*                 | my-app-billing   | false
            *                     | ''               | true
            *-app-*               | 1-app-app-2      | true
            app-?                 | app-1            | true
            app-?                 | app-             | false
            app-?                 | app-\uD83D\uDE00 | true
            a.c                   | abc              | false
            regex:app-[0-9]+      | app-17           | true
            regex:app-[0-9]+      | app-17b          | false
            regex:app-[0-9]+      | my-app-17        | false
            regex:(?i)app.*       | APPLE            | true
            """)
    void wholeTextMatchesOrNot(String pattern, String text, boolean matches) {
        assertThat(TextPattern.of(pattern).matches(text)).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.c+(d)[e]$|^\\{f}", "plain", "CN=Ren\u00e9,O=Acme\\, Inc."})
    void nothingButStarAndQuestionMarkIsSpecialInAGlob(String text) {
        assertThat(TextPattern.of(text).matches(text)).isTrue();
    }

    @Test
    void complaintShowsWhatWasWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TextPattern.of("regex:("))
                .withMessage(
                        "'regex:(' is not a regular expression of RE2: error parsing regexp: missing closing ): `(`");
    }

    @Test
    void dotTakesLineBreaksToo() {
        assertThat(TextPattern.of("regex:guest-.*").matches("guest-\n1")).isTrue();
        assertThat(TextPattern.of("regex:(?-s)guest-.*").matches("guest-\n1")).isFalse();
    }

    @Test
    void starTakesLineBreaksToo() {
        assertThat(TextPattern.of("a*c").matches("a\nb\nc")).isTrue();
    }

    /** With backtracking, these would not end in the lifetime of the machine. */
    @ParameterizedTest
    @ValueSource(strings = {"regex:(a+)+b", "regex:(a|a)*b", "regex:(a*)*(a*)*(a*)*b", "*a*a*a*a*a*a*a*a*a*a*b"})
    void hostileTextTakesNoMoreThanItsLengthIsWorth(String pattern) {
        assertThat(TextPattern.of(pattern).matches("a".repeat(65_535))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "regex:", "regex:(", "regex:(a)\\1", "regex:a(?=b)"})
    void whatIsNoPatternIsRefused(String written) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TextPattern.of(written))
                .withMessageStartingWith("'" + written + "' is ");
    }

    @Test
    void isEqualWhenItIsWrittenAlike() {
        assertThat(TextPattern.of("a*")).isEqualTo(TextPattern.of("a*")).hasSameHashCodeAs(TextPattern.of("a*"));
        assertThat(TextPattern.of("a*"))
                .isNotEqualTo(TextPattern.of("regex:a*"))
                .hasToString("a*");
    }
}
