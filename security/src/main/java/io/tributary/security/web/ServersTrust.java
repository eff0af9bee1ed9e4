package io.tributary.security.web;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts certificates of servers, as the class that extends it says, and none of clients. */
public abstract class ServersTrust extends X509ExtendedTrustManager {
    private static final String NO_CLIENTS = "no clients";

    /** For those that extend it. */
    protected ServersTrust() {}

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException(NO_CLIENTS);
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
            throws CertificateException {
        throw new CertificateException(NO_CLIENTS);
    }

    @Override
    public final void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException(NO_CLIENTS);
    }

    /** Only asked for where clients show certificates. */
    @Override
    public final X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
