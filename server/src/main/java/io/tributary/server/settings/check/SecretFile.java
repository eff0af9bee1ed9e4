package io.tributary.server.settings.check;

import io.tributary.cluster.secret.ChangingSecret;
import java.nio.file.Path;
import java.util.function.Supplier;

/** Files with one secret each: no secret is a setting, for command lines and environments are there to be looked at. */
public final class SecretFile {
    private SecretFile() {}

    /**
     * The one line of a file, without the end of the line.
     *
     * @param setting the name of the setting that says where the file is
     * @throws SettingException when it cannot be read, others than its owner and its group may read or change it, or it
     *     has not exactly one line
     */
    public static String read(String setting, String path) {
        return SettingException.naming(setting, () -> line(Path.of(path)));
    }

    /**
     * The same, for whoever reads it again.
     *
     * @throws IllegalArgumentException when the file cannot be used, with the reason
     */
    public static String line(Path file) {
        return ChangingSecret.lines(file, 1).getFirst();
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

    /**
     * A secret that may change: what is in the file at each call, or what was there before where that cannot be used.
     * Asking blocks.
     */
    public static Supplier<String> changing(String setting, String path) {
        ChangingSecret<String> secret = SettingException.naming(setting, () -> ChangingSecret.password(Path.of(path)));
        return secret::read;
    }
}
