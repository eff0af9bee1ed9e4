package io.tributary.broker.tls;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** A handshake of a server's engine with one of the JDK, in memory. */
final class EngineHandshake {
    private EngineHandshake() {}

    /** The common name in the certificate that the server shows. */
    static String shown(SSLEngine server) throws SSLException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        SSLEngine client = context.createSSLEngine();
        client.setUseClientMode(true);
        ByteBuffer toServer = ByteBuffer.allocate(64 * 1024);
        ByteBuffer toClient = ByteBuffer.allocate(64 * 1024);
        client.beginHandshake();
        while (client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
            step(client, toClient, toServer);
            step(server, toServer, toClient);
        }
        X509Certificate shown = (X509Certificate) client.getSession().getPeerCertificates()[0];
        String name = shown.getSubjectX500Principal().getName();
        return name.replaceAll(".*CN=([^,]*).*", "$1");
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        in.flip();
        if (in.hasRemaining()) {
            engine.unwrap(in, ByteBuffer.allocate(64 * 1024));
        }
        in.compact();
        Runnable task = engine.getDelegatedTask();
        while (task != null) {
            task.run();
            task = engine.getDelegatedTask();
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            engine.wrap(ByteBuffer.allocate(0), out);
        }
    }
}
