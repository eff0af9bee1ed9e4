package io.tributary.broker.network;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import java.security.cert.X509Certificate;
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
        return encryption == null ? null : verified(encryption.engine());
    }

    private static @Nullable X509Certificate verified(SSLEngine engine) {
        if (!engine.getNeedClientAuth() && !engine.getWantClientAuth()) {
            return null;
        }
        try {
            return engine.getSession().getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? certificate
                    : null;
        } catch (SSLPeerUnverifiedException none) {
            return null;
        }
    }
}
