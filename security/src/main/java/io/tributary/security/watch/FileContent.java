package io.tributary.security.watch;

import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * What a file says.
 *
 * @param file the file, for the log, and to see when it has changed
 * @param read reads it; throws {@link IllegalArgumentException} when it cannot be used, with the reason and without any
 *     secret
 * @param <T> what it says, such as keys
 */
public record FileContent<T>(Path file, Supplier<T> read) {
    /**
     * Reads the file, and begins to watch it.
     *
     * @param name the authenticator's name, for the log
     * @throws IllegalArgumentException when it cannot be used
     */
    public WatchedFile<T> watch(String name) {
        return new WatchedFile<>(name, this);
    }
}
