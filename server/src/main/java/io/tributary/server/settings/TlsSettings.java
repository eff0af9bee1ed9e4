package io.tributary.server.settings;

import io.tributary.server.settings.check.SettingException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Encryption of connections to a server.
 *
 * @param enabled Whether connections are encrypted.
 * @param certificates The file with the certificates (PEM) of the authorities to trust, read again at a new connection
 *     when it has changed; without a value, those that Java trusts.
 * @param verifyHost Whether a server's certificate must name the host that was connected to.
 */
public record TlsSettings(
        @DefaultValue("false") boolean enabled,
        @Nullable String certificates,
        @DefaultValue("true") boolean verifyHost) {

    /**
     * Whether connections are encrypted.
     *
     * @throws SettingException when they are not and something says how
     */
    boolean checkedEnabled(String name) {
        if (!enabled && certificates != null) {
            throw new SettingException(
                    name + ".certificates", "'" + certificates + "' has no effect without " + name + ".enabled=true");
        }
        if (!enabled && !verifyHost) {
            throw new SettingException(
                    name + ".verify-host", "'false' has no effect without " + name + ".enabled=true");
        }
        return enabled;
    }

    /** The file of certificates, which can be read; null for those that Java trusts. */
    @Nullable
    Path trusted(String name) {
        if (certificates == null) {
            return null;
        }
        Path file = SettingException.naming(name + ".certificates", () -> Path.of(certificates));
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new SettingException(name + ".certificates", "'" + certificates + "' is not a file that can be read");
        }
        return file.toAbsolutePath();
    }
}
