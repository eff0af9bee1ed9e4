package io.tributary.localcluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Files that may have a secret in them. */
final class PrivateFile {
    private PrivateFile() {}

    /** Writes a file, which nobody but its owner can read if it was not there before. */
    static void write(Path file, List<String> lines) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        Files.write(file, lines);
    }
}
