package io.tributary.server.settings;

import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.broker.tls.TlsEngine;
import io.tributary.server.settings.ListenerTlsSettings.CrlOutdated;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Encryption of the port of health and metrics, if there is a certificate: https then. Files are read again when they
 * change; the rules are those of listeners.
 *
 * @param certificate The file with the certificate of this port (PEM), and behind it those between it and the
 *     authority. It may be a listener's.
 * @param privateKey The file with the key to that (PEM), which others must not be able to read.
 * @param privateKeyPasswordFile The file with the password of the key, one line; without a value the key is not
 *     encrypted.
 * @param clientCertificates Whether clients show certificates: {@code want} takes clients without one, too. With
 *     {@code need}, probes have to show one.
 * @param authorities The file with the certificates (PEM) of the authorities that clients' certificates come from.
 * @param crls The file with the revocation lists of these authorities (PEM or DER), or a folder with nothing else.
 * @param crlOutdated What becomes of clients' certificates whose issuer's list is missing or past its next update.
 * @param protocols The versions of TLS: {@code TLSv1.3}, {@code TLSv1.2} or both.
 */
public record HttpTlsSettings(
        @Nullable String certificate,
        @Nullable String privateKey,
        @Nullable String privateKeyPasswordFile,
        @DefaultValue("none") ClientCertificates clientCertificates,
        @Nullable String authorities,
        @Nullable String crls,
        @DefaultValue("refuse") CrlOutdated crlOutdated,
        @DefaultValue("TLSv1.3,TLSv1.2") String protocols) {

    /** What connections are encrypted with, tried once; null for no encryption. */
    @Nullable
    TlsConfig config(String group) {
        return new ListenerTlsSettings(
                        certificate,
                        privateKey,
                        privateKeyPasswordFile,
                        clientCertificates,
                        authorities,
                        crls,
                        crlOutdated,
                        protocols,
                        null,
                        null,
                        false,
                        TlsConfig.HANDSHAKE_TIMEOUT,
                        TlsConfig.MAX_HANDSHAKES,
                        Map.of())
                .config(group, TlsEngine.JDK);
    }
}
