package io.tributary.cluster.secret;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A secret in a file, which is read again on request. A file that cannot be used any more leaves the secret as it was,
 * with a line in the log. Any thread; reading blocks.
 *
 * @param <T> what the lines of the file are made into
 */
public final class ChangingSecret<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ChangingSecret.class);
    private static final long LARGEST_BYTES = 64 * 1024;

    private final Path file;
    private final int mostLines;
    private final Function<List<String>, T> parse;

    // Guarded by this.
    private List<String> lines;
    private T secret;
    private @Nullable String problem;

    private ChangingSecret(Path file, int mostLines, Function<List<String>, T> parse) {
        this.file = file;
        this.mostLines = mostLines;
        this.parse = parse;
        lines = lines(file, mostLines);
        secret = parse.apply(lines);
    }

    /**
     * Reads the file for the first time.
     *
     * @param mostLines how many lines it may have
     * @param parse makes the secret of the lines, or throws {@link IllegalArgumentException} with what is wrong
     * @throws IllegalArgumentException when the file cannot be used, with the reason and without any secret
     */
    public static <T> ChangingSecret<T> of(Path file, int mostLines, Function<List<String>, T> parse) {
        return new ChangingSecret<>(file, mostLines, parse);
    }

    /**
     * A password, the one line of its file.
     *
     * @throws IllegalArgumentException when the file cannot be used, with the reason
     */
    public static ChangingSecret<String> password(Path file) {
        return of(file, 1, List::getFirst);
    }

    /** Reads the file again; the secret that is in it, or the last one that was. */
    public synchronized T read() {
        try {
            List<String> found = lines(file, mostLines);
            if (!found.equals(lines)) {
                secret = parse.apply(found);
                lines = found;
                LOG.info("the secret in '{}' has changed; the new one is in use", file);
            }
            problem = null;
        } catch (IllegalArgumentException e) {
            String words = String.valueOf(e.getMessage());
            if (!words.equals(problem)) {
                LOG.warn("the changed secret is not used, the old one stays: {}", words);
            }
            problem = words;
        }
        return secret;
    }

    /** The secret that was read last. */
    public synchronized T last() {
        return secret;
    }

    /** Why what is in the file now is not used; null when it is. */
    public synchronized @Nullable String problem() {
        return problem;
    }

    /**
     * The lines of a file, without what ends them.
     *
     * @throws IllegalArgumentException when it cannot be read, others than its owner and its group may read or change
     *     it, or it has no line or too many
     */
    public static List<String> lines(Path file, int most) {
        String text;
        try {
            refuseOthers(file);
            if (Files.size(file) > LARGEST_BYTES) {
                throw new IllegalArgumentException("'" + file + "' has more than 64KB; it must be " + count(most));
            }
            text = Files.readString(file).stripTrailing();
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("there is no file '" + file + "'", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read as a file of text: " + e.getMessage(), e);
        }
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || lines.size() > most || !lines.stream().allMatch(ChangingSecret::isText)) {
            throw new IllegalArgumentException(
                    "'" + file + "' must have " + count(most) + ", and nothing but text in it");
        }
        return lines;
    }

    private static boolean isText(String line) {
        return !line.isEmpty() && line.chars().noneMatch(Character::isISOControl);
    }

    private static String count(int most) {
        return switch (most) {
            case 1 -> "one line";
            case 2 -> "one line or two";
            default -> "1 to " + most + " lines";
        };
    }

    private static void refuseOthers(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IllegalArgumentException(
                    "'" + file + "' can be read or changed by everybody on this machine; use chmod o= on it");
        }
    }
}
