package io.tributary.perf.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory of a benchmark's own, which is deleted when it is closed. */
public final class Scratch implements AutoCloseable {
    private final Path directory;

    /** Creates it where the system has its temporary files. */
    public Scratch() {
        try {
            directory = Files.createTempDirectory("tributary-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException("there is no room for temporary files", e);
        }
    }

    /** Where it is. */
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " cannot be deleted", e);
        }
    }
}
