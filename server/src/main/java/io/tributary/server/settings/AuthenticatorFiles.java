package io.tributary.server.settings;

import io.tributary.security.watch.FileContent;
import io.tributary.security.web.Authorities;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The files that settings of authenticators name. */
final class AuthenticatorFiles {
    private AuthenticatorFiles() {}

    /** A file that can be read now, and is read again when it changes. */
    static <T> FileContent<T> inFile(String name, String text, Function<Path, T> read) {
        return SettingException.naming(name, () -> {
            Path file = Path.of(text);
            T _ = read.apply(file);
            return new FileContent<>(file, () -> read.apply(file));
        });
    }

    /** The file with the authorities to trust, which can be read; null when there is none. */
    static @Nullable Path authorities(String group, @Nullable String certificates) {
        if (certificates == null) {
            return null;
        }
        return SettingException.naming(group + ".certificates", () -> {
            Path file = Path.of(certificates).toAbsolutePath();
            var _ = Authorities.trusting(file);
            return file;
        });
    }
}
