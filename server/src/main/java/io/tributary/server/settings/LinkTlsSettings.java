package io.tributary.server.settings;

import io.tributary.broker.tls.TlsException;
import io.tributary.cluster.link.LinkLayer;
import io.tributary.cluster.link.LinkTls;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of the connections between nodes (TLS 1.3). Certificate, key and authorities are given, or none of them.
 * Files are read again when they change.
 *
 * @param certificate The file with this node's certificate (PEM), and those between it and the authority.
 * @param privateKey The file with the key to that (PEM, not encrypted), which others must not be able to
 *     read.
 * @param authorities The file with the certificates (PEM) of the authorities that nodes' certificates come from.
 * @param crls The file with the revocation lists of these authorities (PEM or DER), or a folder with nothing else.
 *     Nodes whose certificate is on one, or whose issuer's list is outdated, are not linked.
 */
public record LinkTlsSettings(
        @Nullable String certificate,
        @Nullable String privateKey,
        @Nullable String authorities,
        @Nullable String crls) {

    LinkLayer layer(String name) {
        if (certificate == null && privateKey == null && authorities == null && crls == null) {
            return LinkLayer.PLAIN;
        }
        Path chain = file(name + ".certificate", certificate);
        Path key = file(name + ".private-key", privateKey);
        Path trusted = file(name + ".authorities", authorities);
        Path revoked = crls == null ? null : file(name + ".crls", crls);
        try {
            return LinkTls.of(chain, key, trusted, revoked);
        } catch (TlsException e) {
            throw new SettingException(name + "." + e.part(), e.words());
        }
    }

    private static Path file(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new SettingException(name, "is missing; certificate, private-key and authorities belong together");
        }
        return SettingException.naming(name, () -> Path.of(value));
    }
}
