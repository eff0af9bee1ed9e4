package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cli.Program;
import io.tributary.server.settings.NamingYamlLoader;
import io.tributary.server.settings.check.SettingException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.FileSystemResource;
import picocli.CommandLine;

/** Settings that an operator's command finds on its machine and cannot use: a sentence, not a stack trace. */
class CommandSettingsTest {
    @TempDir
    private Path folder;

    @Test
    void aFileThatIsWrongIsTold() throws Exception {
        Files.writeString(folder.resolve("tributary.yaml"), "tributary: data-dir: x\n");
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of("spring.config.location", "file:" + folder + "/", "spring.config.name", "tributary")));
        assertThatThrownBy(() -> LocalSettings.read(environment))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("tributary.yaml, line 1: is no YAML: ");
        assertThat(new HealthCommand().explains(new SettingException("file", "is no YAML")))
                .isTrue();
    }

    @Test
    void aFileThatThisUserMayNotReadIsNoWrongYaml() {
        Path barred = folder.resolve("barred.yaml"); // the same failure as of one that is not there
        assertThatThrownBy(() -> new NamingYamlLoader().load("barred", new FileSystemResource(barred)))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(barred + ": cannot be read by this user: ");
    }

    @Test
    void reshardWithWrongSettingsChangesNothing() {
        StringWriter err = new StringWriter();
        CommandLine line = Program.commandLine(new ReshardCommand());
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute("--shards=8", "--tributary.mode=clustered")).isEqualTo(Program.WRONG_USE);
        assertThat(err.toString().strip())
                .isEqualTo("tributary: nothing was changed: the settings of a node cannot be read");
    }
}
