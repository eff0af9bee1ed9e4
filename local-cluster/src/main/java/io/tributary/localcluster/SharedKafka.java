package io.tributary.localcluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Holds the one broker that the tests of a JVM share, and removes it with its data when the JVM ends. */
final class SharedKafka {
    static final LocalKafka INSTANCE = start();

    private SharedKafka() {}

    private static LocalKafka start() {
        try {
            Path target = Path.of("target");
            // What a killed JVM leaves behind goes with the next clean build.
            Path directory = Files.isDirectory(target)
                    ? Files.createTempDirectory(target, "kafka-")
                    : Files.createTempDirectory("kafka-");
            LocalKafka kafka = LocalKafka.in(directory).start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(kafka, directory)));
            return kafka;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(LocalKafka kafka, Path directory) {
        kafka.stop();
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, java.io.IOException failure)
                        throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
