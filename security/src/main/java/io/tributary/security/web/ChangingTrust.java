package io.tributary.security.web;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trusts the authorities in a file, as it is at each handshake. A file that cannot be used leaves the former ones
 * trusted, with a line in the log. Any thread; a changed file is read by the thread of the handshake.
 */
final class ChangingTrust extends ServersTrust {
    private static final Logger LOG = LoggerFactory.getLogger(ChangingTrust.class);

    private final Path file;

    // Guarded by this.
    private FileTime modified;
    private X509ExtendedTrustManager trusted;
    private @Nullable String complaint;

    /** @throws IllegalArgumentException when the file has no certificates (PEM) */
    ChangingTrust(Path file) {
        this.file = file;
        modified = modified();
        trusted = Authorities.read(file);
    }

    private FileTime modified() {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException _) {
            return FileTime.fromMillis(0);
        }
    }

    private synchronized X509ExtendedTrustManager now() {
        FileTime found = modified();
        if (!found.equals(modified)) {
            try {
                trusted = Authorities.read(file);
                modified = found; // not before: what could not be read is tried again
                complaint = null;
                LOG.info("the authorities in '{}' have changed; the new ones are trusted", file);
            } catch (IllegalArgumentException e) {
                String words = String.valueOf(e.getMessage());
                if (!words.equals(complaint)) {
                    LOG.warn("the changed authorities are not used, the old ones stay: {}", words);
                }
                complaint = words;
            }
        }
        return trusted;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        now().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        now().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        now().checkServerTrusted(chain, type);
    }
}
