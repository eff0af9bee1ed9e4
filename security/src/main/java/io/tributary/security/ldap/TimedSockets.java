package io.tributary.security.ldap;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Sockets whose reads end after a time, from the handshake of TLS on: the library bounds what comes later, and would
 * wait without end for a server that takes the connection and shakes no hands. For {@link #createSocket()} only.
 */
final class TimedSockets extends SocketFactory {
    private final SocketFactory sockets;
    private final int readMillis;

    TimedSockets(SocketFactory sockets, int readMillis) {
        this.sockets = sockets;
        this.readMillis = readMillis;
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = sockets.createSocket();
        socket.setSoTimeout(readMillis);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }
}
