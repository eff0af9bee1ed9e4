package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class SecurityCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "users: {\"r:a\": {groups: 1}}        | line 1, column 25: users r:a: groups must be a list of texts",
                "users: {\"r:a\": {password: s3cr3t}} | line 1, column 16: users r:a: has a password",
                "users: {\"r:a\": {passwordHash: s3cr3t}} | line 1, column 31: users r:a: passwordHash is not a hash",
                "bans: {x: {address: 10.0.0.1/8}}     | line 1, column 11: bans x: '10.0.0.1/8' has bits behind",
                "bans: {x: {}, x: {}}                 | line 1, column 15: x is there twice",
                "rules: {x: {rules: []}}              | line 1, column 12: rules x: the rule set has no rules",
                "tokens: {x: {user: a}}               | line 1, column 13: tokens x: there are users, rules, bans",
                "users: [a]                           | line 1, column 8: users must be a map",
                "'users: {a'                          | line 1, column 10: this is not YAML",
            })
    void saysWhereWhatIsWrong(String text, String words) throws IOException {
        Path file = Files.writeString(folder.resolve("seed.yaml"), text);
        assertThat(execute("check", file.toString())).isNotZero();
        assertThat(err.toString()).contains(file + ", " + words).doesNotContain("s3cr3t");
    }

    @Test
    void saysAllThatIsWrong() throws IOException {
        Path file = Files.writeString(folder.resolve("seed.yaml"), """
                tenants:
                  acme: {limits: {connections: -1}}
                  ok: {}
                bans:
                  nobody: {}
                """);
        assertThat(execute("check", file.toString())).isNotZero();
        assertThat(err.toString())
                .contains("line 2, column 9: tenants acme: connections must be 0 or more, not -1")
                .contains("line 5, column 11: bans nobody: a ban must have one of");
    }

    @Test
    void saysInWhichRuleAndFieldSomethingIsWrong() throws IOException {
        Path file = Files.writeString(folder.resolve("seed.yaml"), """
                rules:
                  a:
                    rules:
                      - {allow: publish, topic: "a/#"}
                      - {allow: publish, topic: "a/#/b"}
                  b:
                    rules:
                      - {allow: reading, topic: a}
                  c: {rules: [{topic: a}]}
                  d: {for: {colours: [red]}, rules: [{allow: all, topic: a}]}
                users:
                  "r:a":
                    rules:
                      - allow: subscribe
                        topic: a
                        retain: true
                """);
        assertThat(execute("check", file.toString())).isNotZero();
        assertThat(err.toString())
                .contains("line 5, column 33: rules a: rules[1].topic 'a/#/b' cannot be: # is not the whole last")
                .contains("line 8, column 17: rules b: rules[0].allow must be publish, subscribe or all, not 'reading'")
                .contains("line 9, column 15: rules c: rules[0] must have either allow or deny")
                .contains("line 10, column 6: rules d: ")
                .contains("line 16, column 17: users r:a: rules[0].retain has no meaning here");
    }

    @Test
    void saysThatNothingIsWrong() throws IOException {
        Path file = Files.writeString(folder.resolve("seed.yaml"), "tenants: {acme: {}, other: {}}\n");
        assertThat(execute("check", file.toString())).isZero();
        assertThat(out.toString()).contains("2 objects");
    }

    private int execute(String... words) {
        CommandLine line = Program.commandLine(new SecurityCommand());
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(words);
    }
}
