package io.tributary.server.settings;

import io.tributary.broker.tls.CertificateFiles;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.broker.tls.TlsConfig.ClientCertificates;
import io.tributary.broker.tls.TlsContexts;
import io.tributary.broker.tls.TlsEngine;
import io.tributary.broker.tls.TlsException;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Encryption of a listener's connections, if there is a certificate. Files are read again when they change; see
 * docs/security.md.
 *
 * @param certificate The file with the broker's certificate (PEM), and behind it those between it and the authority.
 * @param privateKey The file with the key to that (PEM), which others must not be able to read.
 * @param privateKeyPasswordFile The file with the password of the key, one line; without a value the key is not
 *     encrypted.
 * @param clientCertificates Whether clients show certificates: {@code want} takes clients without one, too.
 * @param authorities The file with the certificates (PEM) of the authorities that clients' certificates come from.
 * @param crls The file with the revocation lists of these authorities (PEM or DER), or a folder with nothing else.
 * @param crlOutdated What becomes of clients' certificates whose issuer's list is missing or past its next update.
 * @param protocols The versions of TLS: {@code TLSv1.3}, {@code TLSv1.2} or both.
 * @param ciphers The cipher suites, the best first, by their names in the standards, with commas between; without a
 *     value, those of the engine.
 * @param ticketKeys The file with keys for session tickets, of 48 random bytes each, the same on all nodes; the first
 *     one encrypts. Without a value there are no tickets. Needs OpenSSL.
 * @param ocspStapling Whether clients are given what the authority says of the certificates here (OCSP), fetched in the
 *     background. The certificates must say where it answers, and their files have the issuer's behind them. Needs
 *     OpenSSL.
 * @param handshakeTimeout How long a handshake may take.
 * @param maxHandshakes How many handshakes may be under way at once; those of further clients wait.
 * @param hosts further certificates, for clients that ask for certain names (SNI), under labels of your own
 */
public record ListenerTlsSettings(
        @Nullable String certificate,
        @Nullable String privateKey,
        @Nullable String privateKeyPasswordFile,
        @DefaultValue("none") ClientCertificates clientCertificates,
        @Nullable String authorities,
        @Nullable String crls,
        @DefaultValue("refuse") CrlOutdated crlOutdated,
        @DefaultValue("TLSv1.3,TLSv1.2") String protocols,
        @Nullable String ciphers,
        @Nullable String ticketKeys,
        @DefaultValue("false") boolean ocspStapling,

        @DefaultValue("10s") @Allowed(min = "100ms", max = "5m")
        Duration handshakeTimeout,

        @DefaultValue("1000") @Allowed(min = "1") int maxHandshakes,
        @DefaultValue Map<String, TlsHostSettings> hosts) {

    /** What becomes of certificates whose issuer's revocation list is missing or past its next update. */
    public enum CrlOutdated {
        /** They are refused. */
        REFUSE,
        /** They are accepted unless they are on it. */
        ACCEPT
    }

    /**
     * What connections are encrypted with, tried once; null for no encryption.
     *
     * @throws SettingException when it cannot be used
     */
    @Nullable
    TlsConfig config(String group) {
        return config(group, null);
    }

    /** The same with an engine; null for the best there is. */
    @Nullable
    TlsConfig config(String group, @Nullable TlsEngine engine) {
        if (isUnset()) {
            return null;
        }
        CertificateFiles own = files(group, certificate, privateKey, privateKeyPasswordFile, null);
        Map<String, CertificateFiles> others = new HashMap<>();
        hosts.forEach((label, host) -> others.put(label, host.files(group + ".hosts." + label)));
        Path trusted = optional(group + ".authorities", authorities);
        Path revoked = optional(group + ".crls", crls);
        Path tickets = optional(group + ".ticket-keys", ticketKeys);
        try {
            TlsConfig.Builder tls = TlsConfig.builder(own)
                    .clientCertificates(clientCertificates)
                    .authorities(trusted)
                    .crls(revoked)
                    .acceptsOutdatedCrls(crlOutdated == CrlOutdated.ACCEPT)
                    .protocols(list(protocols))
                    .ciphers(ciphers == null ? List.of() : list(ciphers))
                    .ticketKeys(tickets)
                    .handshakeTimeout(handshakeTimeout)
                    .maxHandshakes(maxHandshakes)
                    .engine(engine)
                    .ocspStapling(ocspStapling);
            others.forEach(tls::host);
            TlsConfig config = tls.build();
            TlsContexts.forListener(group, config).close();
            return config;
        } catch (TlsException e) {
            throw new SettingException(group + "." + e.part(), e.words());
        }
    }

    private boolean isUnset() {
        return hosts.isEmpty()
                && !ocspStapling
                && clientCertificates == ClientCertificates.NONE
                && Stream.of(certificate, privateKey, privateKeyPasswordFile, authorities, crls, ciphers, ticketKeys)
                        .allMatch(Objects::isNull);
    }

    static CertificateFiles files(
            String group,
            @Nullable String certificate,
            @Nullable String privateKey,
            @Nullable String passwordFile,
            @Nullable String names) {
        return new CertificateFiles(
                needed(group + ".certificate", certificate),
                needed(group + ".private-key", privateKey),
                optional(group + ".private-key-password-file", passwordFile),
                names == null ? List.of() : list(names));
    }

    private static Path needed(String name, @Nullable String value) {
        Path file = optional(name, value);
        if (file == null) {
            throw new SettingException(name, "is missing; TLS needs both, certificate and private-key");
        }
        return file;
    }

    private static @Nullable Path optional(String name, @Nullable String value) {
        if (value == null || value.isBlank()) {
            return null;
        }
        return SettingException.naming(name, () -> Path.of(value).toAbsolutePath());
    }

    private static List<String> list(String values) {
        return Arrays.stream(values.split(",", -1)).map(String::strip).toList();
    }
}
