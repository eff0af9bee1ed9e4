package io.tributary.editloop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Directories of class files. */
final class ClassFiles {
    private static final String CLASS = ".class";

    private ClassFiles() {}

    /** What is known of each class in a directory, by name. */
    static Map<String, ClassFacts> facts(Path directory) throws IOException {
        Map<String, ClassFacts> facts = new TreeMap<>();
        for (String file : files(directory)) {
            if (file.endsWith(CLASS)) {
                ClassFacts it = ClassFacts.of(Files.readAllBytes(directory.resolve(file)));
                facts.put(it.name(), it);
            }
        }
        return facts;
    }

    static String fileOf(String className) {
        return className + CLASS;
    }

    /** All files below a directory, from there. */
    static List<String> files(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString().replace('\\', '/'))
                    .toList();
        }
    }

    /** Moves those of these files that are there. */
    static void move(Collection<String> files, Path from, Path to) throws IOException {
        for (String file : files) {
            if (Files.exists(from.resolve(file))) {
                Path target = to.resolve(file);
                Files.createDirectories(target.getParent());
                Files.move(from.resolve(file), target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    static void copy(Collection<String> files, Path from, Path to) throws IOException {
        for (String file : files) {
            Path target = to.resolve(file);
            Files.createDirectories(target.getParent());
            Files.copy(from.resolve(file), target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    static Path makeEmpty(Path directory) throws IOException {
        for (String file : files(directory)) {
            Files.delete(directory.resolve(file));
        }
        return Files.createDirectories(directory);
    }
}
