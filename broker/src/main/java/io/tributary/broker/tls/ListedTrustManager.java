package io.tributary.broker.tls;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Java's validation, in which {@link RevocationChecker} takes part, and then a look at the certificate that the other
 * side has shown as its own: a checker is not told which of a path that is.
 */
final class ListedTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager validation;
    private final RevocationLists lists;

    ListedTrustManager(X509ExtendedTrustManager validation, RevocationLists lists) {
        this.validation = validation;
        this.lists = lists;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type) throws CertificateException {
        validation.checkClientTrusted(shown, type);
        lists.checkOwn(shown);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, Socket socket) throws CertificateException {
        validation.checkClientTrusted(shown, type, socket);
        lists.checkOwn(shown);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] shown, String type, SSLEngine engine) throws CertificateException {
        validation.checkClientTrusted(shown, type, engine);
        lists.checkOwn(shown);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type) throws CertificateException {
        validation.checkServerTrusted(shown, type);
        lists.checkOwn(shown);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, Socket socket) throws CertificateException {
        validation.checkServerTrusted(shown, type, socket);
        lists.checkOwn(shown);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] shown, String type, SSLEngine engine) throws CertificateException {
        validation.checkServerTrusted(shown, type, engine);
        lists.checkOwn(shown);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return validation.getAcceptedIssuers();
    }
}
