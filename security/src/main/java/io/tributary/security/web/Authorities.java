package io.tributary.security.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The authorities whose certificates a server may have. */
public final class Authorities {
    private Authorities() {}

    /**
     * What trusts the authorities in a file, and no others. The file is read again when it changes; one that cannot be
     * used leaves the former authorities trusted, with a line in the log.
     *
     * @throws IllegalArgumentException when the file has no certificates (PEM)
     */
    public static SSLContext trusting(Path file) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new ChangingTrust(file)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }

    /**
     * Those in a file now.
     *
     * @throws IllegalArgumentException when the file has no certificates (PEM)
     */
    static X509ExtendedTrustManager read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IllegalArgumentException("'" + file + "' has no certificate (PEM)");
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("authority-" + number++, certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return (X509ExtendedTrustManager) trust.getTrustManagers()[0];
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("'" + file + "' cannot be read as certificates (PEM): " + e, e);
        }
    }
}
