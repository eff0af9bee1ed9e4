package io.tributary.broker.network;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection comes from: the client, not the proxies before it. A client that is still to be named by a proxy
 * is the proxy.
 */
final class ClientOrigin {
    private static final AttributeKey<ProxyHeader> HEADER = AttributeKey.valueOf("tributary.proxy");

    private ClientOrigin() {}

    /** A proxy has said whose connection it is; event loop only. */
    static void set(Channel channel, ProxyHeader header) {
        channel.attr(HEADER).set(header);
    }

    /** The client's address; null where the connection has none any more. */
    static @Nullable SocketAddress address(Channel channel) {
        ProxyHeader header = channel.attr(HEADER).get();
        return header == null || header.source() == null ? channel.remoteAddress() : header.source();
    }

    /** The client's internet address; null where it has none. */
    static @Nullable InetAddress internetAddress(Channel channel) {
        return address(channel) instanceof InetSocketAddress internet ? internet.getAddress() : null;
    }

    /** The client's address as the log names it. */
    static String text(Channel channel) {
        SocketAddress remote = address(channel);
        return remote instanceof InetSocketAddress internet && internet.getAddress() != null
                ? internet.getAddress().getHostAddress() + ":" + internet.getPort()
                : String.valueOf(remote);
    }

    /**
     * The distinguished name of the client's certificate, as RFC 2253 writes it. To be called when CONNECT has come.
     *
     * @return null when it has shown none that counts
     */
    static @Nullable String certificateSubject(Channel channel, ListenerConfig listener) {
        if (!isNamedByProxy(listener)) {
            return ClientCertificate.subject(channel.pipeline());
        }
        ProxyHeader header = channel.attr(HEADER).get();
        return header == null || header.certificateName() == null
                ? null
                : "CN=" + Rdn.escapeValue(header.certificateName());
    }

    /**
     * The client's certificate, which authorities of the listener have signed. To be called when CONNECT has come.
     *
     * @return null when it has shown none to this broker
     */
    static @Nullable X509Certificate certificate(Channel channel, ListenerConfig listener) {
        return isNamedByProxy(listener) ? null : ClientCertificate.of(channel.pipeline());
    }

    private static boolean isNamedByProxy(ListenerConfig listener) {
        return listener.proxyProtocol() != null && listener.proxyProtocol().certificateName();
    }
}
