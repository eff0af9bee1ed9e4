package io.tributary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class TributaryCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** Does nothing, or fails as it is told. */
    @Command(name = "dig", description = "Digs a hole.")
    static final class Dig implements Subcommand, Runnable {
        @Option(names = "--depth", description = "In metres.")
        int depth;

        private final @Nullable RuntimeException failure;

        Dig(@Nullable RuntimeException failure) {
            this.failure = failure;
        }

        @Override
        public void run() {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public boolean explains(Exception other) {
            return other instanceof IllegalStateException;
        }
    }

    @Test
    void listsCommandsWithHelpForEach() {
        assertThat(execute(null, "help")).isZero();
        assertThat(out.toString()).contains("dig", "Digs a hole.", "version", "TRIBUTARY_JAVA_OPTS");
        assertThat(execute(null, "help", "dig")).isZero();
        assertThat(execute(null, "dig", "-h")).isZero();
        assertThat(out.toString()).containsSubsequence("--depth", "In metres.", "--depth", "In metres.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"              | it needs a command",
                "dug             | 'dug'; did you mean dig?",
                "excavate        | 'excavate'",
                "dig --dept=3    | '--dept=3'; did you mean --depth?",
                "dig --depth     | Missing required parameter for option '--depth'",
                "dig --depth low | 'low' is not a whole number",
                "dig --depth 3 4 | '4'",
                "dig @file       | '@file'",
            })
    void saysWhatIsWrongAndWhereHelpIsWhenCalledWrongly(String words, String message) {
        assertThat(execute(null, words.isEmpty() ? new String[0] : words.split(" ", -1)))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("tributary: ").contains(message, "--help");
    }

    @Test
    void tellsFailureInWordsUnlessItIsADefect() {
        assertThat(execute(new UsageException("a hole is there"), "dig")).isEqualTo(2);
        assertThat(execute(new IllegalStateException("rock", new RuntimeException("granite")), "dig"))
                .isOne();
        assertThat(err.toString().lines())
                .containsExactly("tributary: a hole is there", "tributary: rock (java.lang.RuntimeException: granite)");
        assertThat(execute(new IllegalArgumentException("a defect"), "dig")).isOne();
        assertThat(err.toString()).contains("IllegalArgumentException: a defect", "at io.tributary.cli");
    }

    @Test
    void printsCompletionOfAllCommands() {
        assertThat(execute(null, "completion")).isZero();
        assertThat(out.toString()).contains("complete -F _complete_tributary", "dig", "--depth");
    }

    private int execute(@Nullable RuntimeException failure, String... words) {
        CommandLine line = TributaryCommand.commandLine(List.of(new Dig(failure)));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(words);
    }
}
