package io.tributary.broker.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the black-box tests write: below {@code target}, so that logs and reports can be read after a failure. */
public final class Scratch {
    private static final Path ROOT = Path.of("target", "blackbox").toAbsolutePath();

    private Scratch() {}

    /** A new folder whose name begins as given. */
    public static Path folder(String name) {
        try {
            return Files.createTempDirectory(Files.createDirectories(ROOT), name + "-");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A folder that stays the same from one run to the next. */
    public static Path kept(String name) {
        try {
            return Files.createDirectories(ROOT.resolve(name));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Writes a report for people to read, and shows it in the output of the tests. */
    public static void report(String name, String text) {
        System.out.println(text);
        write(name, text);
    }

    /** The same, without a word on the console. */
    public static void write(String name, String text) {
        try {
            Files.writeString(Files.createDirectories(ROOT).resolve(name), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
