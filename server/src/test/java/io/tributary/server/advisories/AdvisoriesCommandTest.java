package io.tributary.server.advisories;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cli.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The command with a small database that was made up. */
class AdvisoriesCommandTest {
    @TempDir
    private Path folder;

    private Path database;
    private Path accepted;
    private Path bill;
    private final StringWriter said = new StringWriter();

    @BeforeEach
    void make() throws IOException {
        database = Files.createDirectory(folder.resolve("osv"));
        accepted = Files.writeString(folder.resolve("accepted"), "# none\n");
        bill = Files.writeString(folder.resolve("bill.json"), """
                {"bomFormat": "CycloneDX", "components": [
                  {"group": "org.example", "name": "parser", "version": "2.3.1"},
                  {"group": "org.example", "name": "writer", "version": "1.0.0.Final"},
                  {"group": "io.tributary", "name": "tributary-broker", "version": "0.1.0-SNAPSHOT"}]}
                """);
    }

    @Test
    void openAdvisoryIsNamedWithItsRemedy() throws IOException {
        entry("TEST-1", "parser", "", "{\"introduced\": \"0\"}, {\"fixed\": \"2.4\"}");
        assertThat(run()).isEqualTo(1);
        assertThat(said.toString())
                .contains("TEST-1 (CVE-1-1): org.example:parser 2.3.1, repaired in 2.4: it may explode\n")
                .endsWith("2 libraries, 1 entries in " + database + ": 1 open, 0 accepted\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            parser | {"introduced": "0"}, {"fixed": "2.3.1"}                          | false
            parser | {"introduced": "2.4"}                                            | false
            parser | {"introduced": "2.3"}, {"last_affected": "2.3.1"}                | true
            parser | {"introduced": "2.3"}, {"last_affected": "2.3.0"}                | false
            parser | {"fixed": "2"}, {"introduced": "0"}, {"introduced": "2.3.1-rc1"} | true
            parser | {"introduced": "2.3.1-rc1"}, {"fixed": "2.3.1-rc2"}              | false
            writer | {"introduced": "1.0.0"}, {"fixed": "1.0.1.Final"}                | true
            reader | {"introduced": "0"}                                              | false
            """)
    void rangesAreReadInTheOrderOfVersions(String name, String events, boolean isOpen) throws IOException {
        entry("TEST-1", name, "", events);
        assertThat(run()).isEqualTo(isOpen ? 1 : 0);
    }

    @Test
    void versionsThatAreListedAreAffected() throws IOException {
        entry("TEST-1", "parser", "\"versions\": [\"2.3.0\", \"2.3.1\"],", "");
        assertThat(run()).isEqualTo(1);
        entry("TEST-1", "parser", "\"versions\": [\"2.3.0\"],", "");
        assertThat(run()).isZero();
    }

    @Test
    void whatWasWithdrawnOrIsOfAnotherEcosystemIsNothing() throws IOException {
        String text = """
                {"id": "TEST-%d", %s "affected": [{
                  "package": {"ecosystem": "%s", "name": "org.example:parser"}, "versions": ["2.3.1"]}]}
                """;
        Files.writeString(
                database.resolve("a.json"), text.formatted(1, "\"withdrawn\": \"2026-01-01T00:00:00Z\",", "Maven"));
        Files.writeString(database.resolve("b.json"), text.formatted(2, "", "npm"));
        assertThat(run()).isZero();
        Files.writeString(database.resolve("c.json"), text.formatted(3, "", "Maven"));
        assertThat(run()).isEqualTo(1);
    }

    @Test
    void acceptedAdvisoryIsSaidWithReasonAndDate() throws IOException {
        entry("TEST-1", "parser", "", "{\"introduced\": \"0\"}");
        Files.writeString(accepted, "CVE-1-1 2026-11-24 We parse nothing.\nTEST-9 2026-01-02 Long gone.\n");
        assertThat(run()).isZero();
        assertThat(said.toString())
                .contains("TEST-1 (CVE-1-1): org.example:parser 2.3.1, nowhere repaired: it may explode\n")
                .contains("    accepted on 2026-11-24: We parse nothing.\n")
                .contains("TEST-9 is accepted, and nothing in the database about these libraries: the line can go\n")
                .contains("0 open, 1 accepted");
    }

    @Test
    void missingDatabaseIsSaid() {
        assertThat(run()).isEqualTo(2);
        assertThat(said.toString())
                .contains("there is no database in '" + database + "'", "OSV", "nothing was compared");
        database = folder.resolve("nowhere");
        assertThat(run()).isEqualTo(2);
        assertThat(said.toString()).contains("there is no database in '" + database + "'");
    }

    @Test
    void filesThatAreNotWhatTheyShouldBeAreNamed() throws IOException {
        Path entry = Files.writeString(database.resolve("a.json"), "{\"name\": \"no entry\"}");
        assertThat(run()).isEqualTo(1);
        assertThat(said.toString()).contains("'" + entry + "' is no entry in the format OSV");
        Files.writeString(entry, "{");
        assertThat(run()).isEqualTo(1);
        assertThat(said.toString()).contains("'" + entry + "' is not JSON");
        Files.delete(entry);
        entry("TEST-1", "parser", "", "");
        Files.writeString(accepted, "TEST-1 yesterday because\n");
        assertThat(run()).isEqualTo(1);
        assertThat(said.toString()).contains(accepted + ", line 1: 'TEST-1 yesterday because' is not ID DATE REASON");
        bill = folder.resolve("no-bill");
        assertThat(run()).isEqualTo(2);
        assertThat(said.toString()).contains("there is no file '" + bill + "'");
    }

    private void entry(String id, String name, String more, String events) throws IOException {
        Files.writeString(database.resolve(id + ".json"), """
                {"id": "%s", "aliases": ["CVE-1-1"], "summary": "it may explode", "affected": [{
                  "package": {"ecosystem": "Maven", "name": "org.example:%s"}, %s
                  "ranges": [{"type": "ECOSYSTEM", "events": [%s]}]}]}
                """.formatted(id, name, more, events));
    }

    private int run() {
        said.getBuffer().setLength(0);
        CommandLine line = Program.commandLine(new AdvisoriesCommand());
        PrintWriter writer = new PrintWriter(said, true);
        return line.setOut(writer)
                .setErr(writer)
                .execute("--sbom=" + bill, "--accepted=" + accepted, database.toString());
    }
}
