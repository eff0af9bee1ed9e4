package io.tributary.editloop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Error Prone with NullAway, and annotation processors: all that the compiler loads in any module. */
final class Processors {
    private Processors() {}

    static String path() {
        try {
            return Javac.joined(Dependency.read(Path.of("edit-loop", "target", "processors.txt")).stream()
                    .map(Dependency::file)
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
