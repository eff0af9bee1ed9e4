package io.tributary.persistence.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.event.RecordFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path temp;

    @Test
    void folderIsCreatedWhenThereIsNone() {
        Path folder = temp.resolve("a/b");
        new DataFolder(folder).prepare(128);
        assertThat(folder.resolve("db")).isDirectory();
        new DataFolder(folder).prepare(128);
        assertThat(folder.resolve("VERSION")).content().contains("format=" + RecordFormat.NEWEST, "shards=128");
    }

    @Test
    void folderThatIsCreatedIsNotForAllUsersToRead() throws IOException {
        Path folder = temp.resolve("a/b");
        new DataFolder(folder).prepare(128);
        assertThat(Files.getPosixFilePermissions(folder))
                .allMatch(each -> !each.name().startsWith("OTHERS_"));
        Path given = Files.createDirectory(temp.resolve("given"));
        Files.setPosixFilePermissions(given, PosixFilePermissions.fromString("rwxr-xr-x"));
        new DataFolder(given).prepare(128);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(given)))
                .isEqualTo("rwxr-xr-x");
    }

    @Test
    void openingIsRefusedWhenTheShardCountDiffers() {
        new DataFolder(temp).prepare(128);
        assertThatThrownBy(() -> new DataFolder(temp).prepare(64))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("created for 128 shards, and the configuration says 64");
    }

    @Test
    void openingIsRefusedWhenTheFormatIsNewer() throws IOException {
        Files.writeString(temp.resolve("VERSION"), "format=99\nshards=128\n");
        assertThatThrownBy(() -> new DataFolder(temp).prepare(128))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("has format 99 of a newer version");
    }

    @Test
    void markerSaysTheFormatThatIsWrittenWhenTheFolderOfAnOlderVersionIsTaken() throws IOException {
        String older = "format=" + (RecordFormat.NEWEST - 1) + "\nshards=128\n";
        Files.writeString(temp.resolve("VERSION"), older);
        DataFolder folder = new DataFolder(temp);
        assertThat(folder.prepare(128)).isTrue();
        assertThat(temp.resolve("VERSION")).hasContent(older);

        folder.take(128);
        Files.writeString(temp.resolve("db/CURRENT"), "");
        assertThat(folder.prepare(128)).isFalse();
        assertThat(temp.resolve("VERSION")).content().contains("format=" + RecordFormat.NEWEST, "shards=128");
    }

    @Test
    void openingIsRefusedWhenTheMarkerIsDamaged() throws IOException {
        Files.writeString(temp.resolve("VERSION"), "format=one\n");
        assertThatThrownBy(() -> new DataFolder(temp).prepare(128))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("no usable number of 'format'");
    }

    @Test
    void openingIsRefusedWhenTheFolderIsSomebodyElses() throws IOException {
        Files.writeString(temp.resolve("letter.txt"), "Dear Sir or Madam");
        assertThatThrownBy(() -> new DataFolder(temp).prepare(128))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("is not empty and no data folder");
    }

    @Test
    void openingIsRefusedWhenTheFolderIsAFile() throws IOException {
        Path file = Files.writeString(temp.resolve("file"), "");
        assertThatThrownBy(() -> new DataFolder(file).prepare(128))
                .isInstanceOf(StorageException.class)
                .hasMessageEndingWith("cannot be used: " + file + " is a file, not a folder");
    }

    @Test
    void leftoversAreNoHindranceWhenCreationWasInterrupted() throws IOException {
        Files.createDirectory(temp.resolve("lost+found"));
        Files.writeString(temp.resolve("VERSION.new"), "form");
        new DataFolder(temp).prepare(128);
        assertThat(temp.resolve("VERSION")).exists();
    }

    @Test
    void openingIsRefusedWhenAFolderOfAnOlderVersionHasLostItsDatabase() throws IOException {
        Files.writeString(temp.resolve("VERSION"), "format=3\nshards=128\n");
        Files.createDirectory(temp.resolve("db"));
        Files.writeString(temp.resolve("db/000012.sst"), "");
        assertThatThrownBy(() -> new DataFolder(temp).prepare(128))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("has lost its database");
    }

    @Test
    void leftoversAreNoHindranceWhenTheFirstOpeningWasInterrupted() throws IOException {
        new DataFolder(temp).prepare(128);
        Files.writeString(temp.resolve("db/LOG"), "");
        Files.writeString(temp.resolve("db/MANIFEST-000001"), "");
        assertThat(new DataFolder(temp).prepare(128)).isTrue();
    }
}
