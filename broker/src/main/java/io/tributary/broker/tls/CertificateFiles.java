package io.tributary.broker.tls;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a certificate and its key are. All files are PEM.
 *
 * @param certificate the certificate, and behind it those between it and the authority
 * @param privateKey the key to the certificate: PKCS 8, encrypted or not, or the older forms of RSA and EC keys, not
 *     encrypted. Others than its owner and its group must not be able to read it
 * @param passwordFile one line, the password of an encrypted key; null for a key that is not encrypted
 * @param names which names clients ask for (SNI) to get the certificate, {@code *.} at the begin for any label; empty
 *     for the names in the certificate itself
 */
public record CertificateFiles(
        Path certificate, Path privateKey, @Nullable Path passwordFile, List<String> names) {

    /** Names are compared without regard to case. */
    public CertificateFiles {
        names = names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
    }

    /** A certificate with a key that is not encrypted, for the names in it. */
    public static CertificateFiles of(Path certificate, Path privateKey) {
        return new CertificateFiles(certificate, privateKey, null, List.of());
    }
}
