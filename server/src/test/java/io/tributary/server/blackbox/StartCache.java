package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The class path of the tests with the JVM's AOT cache of one start of the broker, which saves each later start almost
 * half of its processor time (7.2 s to 4.0 s). It costs some 16 s, so only a run of all tests makes one: the property
 * {@code tests.start-cache}. Such a cache knows jars alone, so directories of classes are packed. The JVMs that share
 * the tests share it; that of other classes is another. Nothing depends on it: brokers start without while it is made,
 * and where that fails.
 */
public final class StartCache {
    /** A system property that the build sets. */
    private static final String WANTED = "tests.start-cache";

    private static final Path TARGET = Path.of("target");
    private static @Nullable List<String> options;

    private StartCache() {}

    /** The options of a broker's JVM that say where its classes are. */
    public static synchronized List<String> options() {
        if (options == null) {
            List<Path> classPath = Arrays.stream(
                            System.getProperty("java.class.path").split(File.pathSeparator, -1))
                    .map(Path::of)
                    .toList();
            List<String> plain = List.of("-cp", joined(classPath));
            options = Boolean.getBoolean(WANTED) ? cached(classPath) : plain;
            if (options == null) {
                return plain;
            }
        }
        return options;
    }

    /** Null while another JVM makes the cache: the next start looks again. */
    private static @Nullable List<String> cached(List<Path> classPath) {
        try {
            Files.createDirectories(TARGET);
            try (FileChannel file = FileChannel.open(
                            TARGET.resolve("start-cache.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock held = file.tryLock()) {
                return held == null ? null : cachedByOne(classPath);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> cachedByOne(List<Path> classPath) throws IOException {
        Path folder = TARGET.resolve("start-cache-" + Long.toHexString(fingerprint(classPath)));
        Path cache = folder.resolve("broker.aot");
        boolean made = Files.exists(cache);
        if (!made) {
            removeOthers();
            Files.createDirectories(folder);
        }
        List<Path> jars = new ArrayList<>();
        for (Path entry : classPath) {
            if (Files.isDirectory(entry)) {
                Path jar = folder.resolve(jars.size() + ".jar");
                if (!made) {
                    pack(entry, jar);
                }
                jars.add(jar.toAbsolutePath());
            } else if (Files.exists(entry)) {
                jars.add(entry);
            }
        }
        if (!made) {
            options = List.of("-cp", joined(jars)); // of the broker that trains
            if (!train(folder, cache)) {
                return options;
            }
        }
        return List.of("-XX:AOTCache=" + cache.toAbsolutePath(), "-Xlog:aot=off", "-Xlog:cds=off", "-cp", joined(jars));
    }

    /** Those of classes that have changed since. */
    private static void removeOthers() throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(TARGET, "start-cache-*")) {
            for (Path folder : folders) {
                FileSystemUtils.deleteRecursively(folder);
            }
        }
    }

    private static String joined(List<Path> classPath) {
        return String.join(
                File.pathSeparator, classPath.stream().map(Path::toString).toList());
    }

    /** Of names, sizes and times of all files. */
    private static long fingerprint(List<Path> classPath) throws IOException {
        CRC32 sum = new CRC32();
        for (Path entry : classPath) {
            for (Path file : files(entry)) {
                String told = file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file);
                sum.update(told.getBytes(UTF_8));
            }
        }
        return sum.getValue();
    }

    private static List<Path> files(Path entry) throws IOException {
        if (Files.notExists(entry)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(entry)) {
            return all.filter(Files::isRegularFile)
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    private static void pack(Path directory, Path jar) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.setLevel(0); // read often, and soon gone
            for (Path file : files(directory)) {
                out.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }

    /** Lets a broker start and end in order; then the JVM writes what it has learned. False where it did not. */
    private static boolean train(Path folder, Path cache) throws IOException {
        Path written = folder.resolve("written.aot");
        try (BrokerProcess broker = BrokerProcess.start(
                folder, List.of("-Xmx256m", "-XX:AOTCacheOutput=" + written.toAbsolutePath()), List.of())) {
            broker.stop();
        } catch (IllegalStateException | AssertionError failure) {
            new IllegalStateException("brokers start without a cache", failure).printStackTrace();
            return false;
        }
        Files.move(written, cache, StandardCopyOption.ATOMIC_MOVE);
        return true;
    }
}
