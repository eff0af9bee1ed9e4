package io.tributary.server.api;

import io.tributary.common.digest.Sha256;
import io.tributary.server.settings.NamedTokens;
import io.tributary.server.settings.check.SettingException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that open the API, and whose they are. They are in a file, which is read again when it changes, so that
 * tokens can be changed while the broker runs. Thread-safe.
 */
public final class AdminToken {
    private static final Logger LOG = LoggerFactory.getLogger(AdminToken.class);
    private static final int SECRET_BYTES = 32;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final String setting;
    private final Path file;
    private final LongSupplier nanoTime;

    // Guarded by this.
    private List<Known> tokens;
    private long lookedNanos;
    private String problem = "";

    private AdminToken(String setting, Path file, LongSupplier nanoTime) {
        this.setting = setting;
        this.file = file;
        this.nanoTime = nanoTime;
        tokens = read(setting, file);
        lookedNanos = nanoTime.getAsLong();
    }

    /** A token, and whose it is. */
    @SuppressWarnings("ArrayRecordComponent") // never compared as a record
    private record Known(byte[] sha256, String name) {}

    /**
     * Reads them.
     *
     * @param setting the setting that names the file
     * @throws SettingException when the file has no token in it, or others may read it
     */
    public static AdminToken of(String setting, Path file, LongSupplier nanoTime) {
        return new AdminToken(setting, file, nanoTime);
    }

    /**
     * Reads them, and first makes one where there is no file, or an empty one as a power cut leaves it: readable by
     * nobody but its owner. The caller has the folder to itself.
     *
     * @throws SettingException as {@link #of}
     * @throws UncheckedIOException when the file cannot be made
     */
    public static AdminToken made(String setting, Path file, LongSupplier nanoTime) {
        try {
            if (!Files.exists(file) || (Files.isRegularFile(file) && Files.size(file) == 0)) {
                make(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the token of administrators cannot be written to " + file + ": " + e, e);
        }
        return of(setting, file, nanoTime);
    }

    /** The file that they are in. */
    public Path file() {
        return file;
    }

    /** Whose token this is; null when it is nobody's, which takes the same time for all such. */
    @Nullable
    String nameOf(String presented) {
        byte[] shown = sha256(presented);
        String name = null;
        for (Known token : current()) {
            if (MessageDigest.isEqual(shown, token.sha256)) {
                name = token.name;
            }
        }
        return name;
    }

    private static List<Known> read(String setting, Path file) {
        return NamedTokens.read(setting, file).entrySet().stream()
                .map(token -> new Known(sha256(token.getKey()), token.getValue()))
                .toList();
    }

    private synchronized List<Known> current() {
        long now = nanoTime.getAsLong();
        if (now - lookedNanos >= PERIOD_NANOS) {
            lookedNanos = now;
            try {
                tokens = read(setting, file);
                problem = "";
            } catch (SettingException e) {
                String words = String.valueOf(e.getMessage());
                if (!words.equals(problem)) {
                    LOG.warn("the tokens of administrators stay as they were: {}", words);
                }
                problem = words;
            }
        }
        return tokens;
    }

    /** The file is there with its content or not at all, also after a power cut. */
    private static void make(Path file) throws IOException {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n";
        FileAttribute<?>[] ownersOnly =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        Path draft = folder.resolve(file.getFileName() + ".new");
        Files.deleteIfExists(draft);
        try (FileChannel channel =
                FileChannel.open(draft, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownersOnly)) {
            channel.write(ByteBuffer.wrap(token.getBytes(StandardCharsets.UTF_8)));
            channel.force(true);
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) { // a folder cannot be written
            names.force(true);
        }
    }

    private static byte[] sha256(String token) {
        return Sha256.of(token.getBytes(StandardCharsets.UTF_8));
    }
}
