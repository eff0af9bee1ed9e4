package io.tributary.broker.network;

import io.tributary.broker.connection.ClientLimits;
import io.tributary.broker.tls.TlsConfig;
import org.jspecify.annotations.Nullable;

/**
 * One place where clients connect.
 *
 * @param name its name, unique in the broker, which log lines, metrics and authenticators see
 * @param kind the protocol below MQTT
 * @param host the local address, or {@code 0.0.0.0} for all
 * @param port the port; 0 picks a free one
 * @param admission how many clients it takes, and how fast
 * @param limits limits of the clients' packets and connections
 * @param tls how connections are encrypted; null for not at all
 */
public record ListenerConfig(
        String name,
        ListenerKind kind,
        String host,
        int port,
        AdmissionLimits admission,
        ClientLimits limits,
        @Nullable TlsConfig tls) {

    /** Checks the port. */
    public ListenerConfig {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("listener " + name + ": port " + port + " must be 0 to 65535");
        }
    }

    /** A listener without encryption. */
    public ListenerConfig(
            String name, ListenerKind kind, String host, int port, AdmissionLimits admission, ClientLimits limits) {
        this(name, kind, host, port, admission, limits, null);
    }

    /** A plain TCP listener for this machine only, with default limits. */
    public static ListenerConfig tcp(String name, int port) {
        return tcp(name, "127.0.0.1", port);
    }

    /**
     * A plain TCP listener with default limits: no encryption, and everybody who reaches the address may connect unless
     * an authenticator says otherwise.
     *
     * @param host the local address, or {@code 0.0.0.0} for all
     */
    public static ListenerConfig tcp(String name, String host, int port) {
        return new ListenerConfig(
                name, new ListenerKind.Tcp(), host, port, AdmissionLimits.DEFAULT, ClientLimits.DEFAULT);
    }

    /** The same at another port. */
    public ListenerConfig withPort(int newPort) {
        return new ListenerConfig(name, kind, host, newPort, admission, limits, tls);
    }

    /** The same with encryption. */
    public ListenerConfig withTls(TlsConfig newTls) {
        return new ListenerConfig(name, kind, host, port, admission, limits, newTls);
    }
}
