package io.tributary.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTokenTest {
    private static final String SETTING = "tributary.security.admin-token-file";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void tokenIsMadeOnceAndIsItsOwnersAlone() throws IOException {
        Path file = folder.resolve("data/admin.token");
        AdminToken made = made(file);
        String token = Files.readString(file).strip();
        assertThat(token).hasSizeGreaterThanOrEqualTo(32);
        assertThat(made.nameOf(token)).isEqualTo("admin");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(made(file).nameOf(token)).isEqualTo("admin");
        assertThat(file.getParent()).isDirectoryNotContaining(each -> !each.equals(file));
    }

    /** As versions left it that wrote under the final name, after a power cut or on a full disk. */
    @Test
    void tokenIsMadeAnewWhereTheFileIsEmpty() throws IOException {
        Path file = Files.createFile(folder.resolve("admin.token"));
        Files.writeString(folder.resolve("admin.token.new"), "half");
        AdminToken made = made(file);
        assertThat(made.nameOf(Files.readString(file).strip())).isEqualTo("admin");
    }

    @Test
    void fileThatSomebodyWroteStaysAsItIs() throws IOException {
        Path file = Files.writeString(folder.resolve("admin.token"), "short\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThatThrownBy(() -> made(file)).isInstanceOf(SettingException.class);
        assertThat(file).hasContent("short\n");
    }

    private static AdminToken made(Path file) {
        return AdminToken.made(SETTING, file, System::nanoTime);
    }
}
