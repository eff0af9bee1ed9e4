package io.tributary.broker.tls;

import io.tributary.common.digest.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The content of all files of a configuration at one time. Content counts, not names or times: Kubernetes exchanges a
 * folder behind a symbolic link.
 */
final class TlsFiles {
    private static final long LARGEST_BYTES = 256L << 20;

    private final Map<Path, Content> contents = new TreeMap<>();
    private final List<Path> lists = new ArrayList<>();

    /** What a file has, or why that is not known. */
    private static final class Content {
        private final byte[] bytes;
        private final @Nullable String problem;

        Content(byte[] bytes, @Nullable String problem) {
            this.bytes = bytes;
            this.problem = problem;
        }
    }

    private TlsFiles() {}

    static TlsFiles read(TlsConfig config) {
        TlsFiles files = new TlsFiles();
        files.add(config.identity());
        config.hosts().values().forEach(files::add);
        if (config.authorities() != null) {
            files.add(config.authorities(), false);
        }
        if (config.ticketKeys() != null) {
            files.add(config.ticketKeys(), true);
        }
        if (config.crls() != null) {
            files.addLists(config.crls());
        }
        return files;
    }

    private void add(CertificateFiles identity) {
        add(identity.certificate(), false);
        add(identity.privateKey(), true);
        if (identity.passwordFile() != null) {
            add(identity.passwordFile(), true);
        }
    }

    private void add(Path file, boolean isSecret) {
        contents.put(file, content(file, isSecret));
    }

    private void addLists(Path place) {
        if (!Files.isDirectory(place)) {
            lists.add(place);
            add(place, false);
            return;
        }
        try (Stream<Path> inside = Files.list(place)) {
            inside.filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .forEach(lists::add);
        } catch (IOException | UncheckedIOException e) {
            contents.put(place, new Content(new byte[0], "cannot be read: " + e.getMessage()));
            lists.add(place);
            return;
        }
        lists.forEach(file -> add(file, false));
    }

    private static Content content(Path file, boolean isSecret) {
        try {
            if (isSecret && isOpen(file)) {
                return new Content(
                        new byte[0],
                        "can be read or changed by everybody on this machine; use chmod o= on it (in Kubernetes, defaultMode:"
                                + " 0440 and an fsGroup)");
            }
            if (Files.size(file) > LARGEST_BYTES) {
                return new Content(new byte[0], "is larger than 256MB");
            }
            return new Content(Files.readAllBytes(file), null);
        } catch (NoSuchFileException e) {
            return new Content(new byte[0], "does not exist");
        } catch (IOException | UncheckedIOException e) {
            return new Content(new byte[0], "cannot be read: " + e);
        }
    }

    private static boolean isOpen(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return false;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        return permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE);
    }

    /** The files with revocation lists. */
    List<Path> lists() {
        return lists;
    }

    /**
     * The content of a file.
     *
     * @param part what it is, for the complaint
     * @throws TlsException when it is not known
     */
    byte[] bytes(String part, Path file) {
        Content content = contents.get(file);
        if (content == null || content.problem != null) {
            throw new TlsException(part, "'" + file + "' " + (content == null ? "was not read" : content.problem));
        }
        return content.bytes;
    }

    /** Is the same for the same contents; keeps no secret. */
    String digest() {
        MessageDigest digest = Sha256.begin();
        contents.forEach((file, content) -> {
            digest.update((file + "\n" + content.bytes.length + "\n" + content.problem + "\n")
                    .getBytes(StandardCharsets.UTF_8));
            digest.update(content.bytes);
        });
        return HexFormat.of().formatHex(digest.digest());
    }
}
