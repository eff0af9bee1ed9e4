package io.tributary.broker.connection;

import io.tributary.broker.guard.Guard;
import io.tributary.broker.security.Asker;
import io.tributary.common.mqtt.ReasonCode;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a new connection.
 *
 * @param remoteAddress its host and port, for people to read; of a client behind a proxy, where the proxy says it
 * @param address its address; null where it has no internet address
 * @param listener the name of the listener that it came through
 * @param certificateSubject gives the distinguished name in its TLS certificate, as RFC 2253 writes it, which this
 *     broker has verified, or a proxy that the listener trusts; null when it has shown none; asked once CONNECT came
 * @param certificate gives that certificate, or null; asked once CONNECT has come
 * @param refusal why its CONNECT is to be refused, from any client; null when the listener has room for it
 * @param serverReference where the client is told to go then [MQTT-4.11], or null
 */
public record ConnectionOrigin(
        String remoteAddress,
        @Nullable InetAddress address,
        String listener,
        Supplier<@Nullable String> certificateSubject,
        Supplier<@Nullable X509Certificate> certificate,
        @Nullable ReasonCode refusal,
        @Nullable String serverReference) {

    /** The client as authenticators take turns. */
    Asker asker(BooleanSupplier isWaiting) {
        return new Asker(address == null ? "" : Guard.text(address), isWaiting);
    }
}
