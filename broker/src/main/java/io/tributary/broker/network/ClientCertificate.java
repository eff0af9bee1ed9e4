package io.tributary.broker.network;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** The TLS certificate of the other side of a connection. */
final class ClientCertificate {
    private ClientCertificate() {}

    /**
     * The distinguished name of the certificate's subject, as RFC 2253 writes it. To be called after the TLS handshake.
     *
     * @return null when the connection is not encrypted, client certificates are not asked for, or the client has shown
     *     none
     */
    static @Nullable String subject(ChannelPipeline pipeline) {
        X509Certificate certificate = of(pipeline);
        return certificate == null
                ? null
                : certificate.getSubjectX500Principal().getName();
    }

    /**
     * The certificate, which authorities of the listener have signed. To be called after the TLS handshake.
     *
     * @return null where {@link #subject} gives null
     */
    static @Nullable X509Certificate of(ChannelPipeline pipeline) {
        SslHandler encryption = pipeline.get(SslHandler.class);
        List<X509Certificate> shown = encryption == null ? List.of() : chain(encryption.engine());
        return shown.isEmpty() ? null : shown.getFirst();
    }

    /**
     * The certificates that the client has shown, its own first; empty when it has shown none, or they are not asked
     * for and so nobody has verified them. To be called after the TLS handshake.
     */
    static List<X509Certificate> chain(SSLEngine engine) {
        if (!engine.getNeedClientAuth() && !engine.getWantClientAuth()) {
            return List.of();
        }
        List<X509Certificate> shown = new ArrayList<>();
        try {
            for (Certificate one : engine.getSession().getPeerCertificates()) {
                if (one instanceof X509Certificate certificate) {
                    shown.add(certificate);
                }
            }
        } catch (SSLPeerUnverifiedException none) {
            return List.of();
        }
        return shown;
    }
}
