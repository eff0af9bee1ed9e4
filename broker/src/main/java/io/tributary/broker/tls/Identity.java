package io.tributary.broker.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A certificate with its key.
 *
 * @param host the label of the host that it is for; {@code default} for the listener's own
 * @param chain the certificate, and those between it and the authority
 * @param names those that clients ask for to get it
 */
record Identity(String host, PrivateKey key, List<X509Certificate> chain, List<String> names) {
    static final String DEFAULT = "default";

    private static final int DNS_NAME = 2;
    private static final byte[] PROBE = "does the key fit the certificate".getBytes(StandardCharsets.US_ASCII);

    /** The certificate itself. */
    X509Certificate certificate() {
        return chain.getFirst();
    }

    /**
     * Reads it.
     *
     * @param prefix what stands before the names of its settings
     * @throws TlsException when it cannot be read, or the key is of another certificate
     */
    static Identity read(String host, String prefix, CertificateFiles files, TlsFiles contents) {
        String ofCertificate = prefix + "certificate";
        String ofKey = prefix + "private-key";
        List<X509Certificate> chain = certificates(ofCertificate, files.certificate(), contents);
        PrivateKey key = PrivateKeys.parse(
                ofKey, files.privateKey(), contents.bytes(ofKey, files.privateKey()), password(ofKey, files, contents));
        if (!fits(key, chain.getFirst().getPublicKey())) {
            throw new TlsException(
                    ofKey,
                    "'" + files.privateKey() + "' is not the key to the first certificate in '" + files.certificate()
                            + "' (" + chain.getFirst().getSubjectX500Principal()
                            + "); the certificate comes first in its file, those between it and the authority follow");
        }
        return new Identity(host, key, chain, files.names().isEmpty() ? namesIn(chain.getFirst()) : files.names());
    }

    /**
     * The certificates in a file.
     *
     * @throws TlsException when there is none, or one cannot be read
     */
    static List<X509Certificate> certificates(String part, Path file, TlsFiles contents) {
        List<X509Certificate> certificates;
        try {
            certificates =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(contents.bytes(part, file)))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
        } catch (CertificateException e) {
            throw new TlsException(part, "'" + file + "' has a certificate that cannot be read: " + e.getMessage());
        }
        if (certificates.isEmpty()) {
            throw new TlsException(part, "'" + file + "' has no certificate; it must have at least one, in PEM");
        }
        return certificates;
    }

    private static char @Nullable [] password(String ofKey, CertificateFiles files, TlsFiles contents) {
        if (files.passwordFile() == null) {
            return null;
        }
        String part = ofKey + "-password-file";
        String text = new String(contents.bytes(part, files.passwordFile()), StandardCharsets.UTF_8).stripTrailing();
        if (text.isEmpty() || text.chars().anyMatch(Character::isISOControl)) {
            throw new TlsException(part, "'" + files.passwordFile() + "' must have one line, the password");
        }
        return text.toCharArray();
    }

    /** Whether what the key signs is what the certificate's key verifies. */
    private static boolean fits(PrivateKey key, PublicKey ofCertificate) {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(PROBE);
            byte[] signed = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(ofCertificate);
            verifying.update(PROBE);
            return verifying.verify(signed);
        } catch (GeneralSecurityException ofAnotherKind) {
            return false;
        }
    }

    private static List<String> namesIn(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> Objects.equals(name.get(0), DNS_NAME))
                            .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT))
                            .distinct()
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }
}
