package io.tributary.server.settings;

import io.tributary.broker.tls.CertificateFiles;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that clients get that ask for one of its names (SNI).
 *
 * @param certificate The file with the certificate (PEM), and behind it those between it and the authority.
 * @param privateKey The file with the key to that (PEM), which others must not be able to read.
 * @param privateKeyPasswordFile The file with the password of the key, one line; without a value the key is not
 *     encrypted.
 * @param names The names that clients ask for, with commas between; {@code *.} at the begin stands for one label.
 *     Without a value, the DNS names in the certificate.
 */
public record TlsHostSettings(
        @Nullable String certificate,
        @Nullable String privateKey,
        @Nullable String privateKeyPasswordFile,
        @Nullable String names) {

    CertificateFiles files(String group) {
        return ListenerTlsSettings.files(group, certificate, privateKey, privateKeyPasswordFile, names);
    }
}
