package io.tributary.server.settings.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Files with one secret each: no secret is a setting, for command lines and environments are there to be looked at. */
public final class SecretFile {
    private static final long LARGEST_BYTES = 64 * 1024;

    private SecretFile() {}

    /**
     * The one line of a file, without the end of the line.
     *
     * @param setting the name of the setting that says where the file is
     * @throws SettingException when it cannot be read, others than its owner and its group may read or change it, or it
     *     has not exactly one line
     */
    public static String read(String setting, String path) {
        Path file = SettingException.naming(setting, () -> Path.of(path));
        String text;
        try {
            refuseOthers(setting, path, file);
            if (Files.size(file) > LARGEST_BYTES) {
                throw new SettingException(setting, "'" + path + "' has more than 64KB; it must be one line");
            }
            text = Files.readString(file).stripTrailing();
        } catch (NoSuchFileException e) {
            throw new SettingException(setting, "there is no file '" + path + "'");
        } catch (IOException e) {
            throw new SettingException(setting, "'" + path + "' cannot be read as a file of text: " + e.getMessage());
        }
        if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
            throw new SettingException(setting, "'" + path + "' must have one line, and nothing but text in it");
        }
        return text;
    }

    /** The same, of so many characters or more. */
    public static String read(String setting, String path, int leastCharacters) {
        String text = read(setting, path);
        if (text.length() < leastCharacters) {
            throw new SettingException(
                    setting, "'" + path + "' must have a line of " + leastCharacters + " characters or more");
        }
        return text;
    }

    private static void refuseOthers(String setting, String path, Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        if (permissions.contains(PosixFilePermission.OTHERS_READ)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new SettingException(
                    setting, "'" + path + "' can be read or changed by everybody on this machine; use chmod o= on it");
        }
    }
}
