package io.tributary.server.settings;

import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.link.LinkTls;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of the connections between nodes (TLS 1.3). All three files are given, or none.
 *
 * @param certificate The file with this node's certificate (PEM), and those between it and the authority.
 * @param privateKey The file with the key to that (PKCS 8 in PEM, not encrypted), which others must not be able to
 *     read.
 * @param authorities The file with the certificates (PEM) of the authorities that nodes' certificates come from.
 */
public record LinkTlsSettings(
        @Nullable String certificate,
        @Nullable String privateKey,
        @Nullable String authorities) {

    LinkLayer layer(String name) {
        if (certificate == null && privateKey == null && authorities == null) {
            return LinkLayer.PLAIN;
        }
        Path chain = file(name + ".certificate", certificate);
        Path key = file(name + ".private-key", privateKey);
        Path trusted = file(name + ".authorities", authorities);
        return SettingException.naming(name, () -> LinkTls.of(chain, key, trusted));
    }

    private static Path file(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new SettingException(name, "is missing; certificate, private-key and authorities belong together");
        }
        return SettingException.naming(name, () -> Path.of(value));
    }
}
