package io.tributary.server.settings;

import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.network.ListenerKind;
import io.tributary.broker.network.ProxyProtocolConfig;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A place where clients connect. There are two unless they are switched off, {@code tcp} and {@code ws}, and more can
 * be added under names of your own.
 *
 * @param enabled Whether it listens.
 * @param kind What is spoken below MQTT: plain {@code tcp}, or {@code websocket}.
 * @param host The local address; {@code 0.0.0.0} for all of the machine's. Nobody else reaches the default.
 * @param port The port; 0 picks a free one. The listener {@code tcp} has 1883 and {@code ws} has 8083; others must say.
 * @param path The path that WebSocket clients ask for.
 * @param maxConnections The most connections at once.
 * @param connectRate How many connections are taken a second in the long run; 0 for no limit.
 * @param connectBurst How many connections may come at once when there is a rate; 0 for as many as the rate allows in a
 *     second.
 * @param allowedOrigins The web pages from which browsers may connect over WebSocket, such as
 *     {@code https://app.example.com}; a port {@code *} is any, {@code https://*.example.com} is one label more,
 *     {@code *} alone is all. Without a value: pages of this machine where only this machine reaches the listener,
 *     elsewhere all. Clients that are no browsers are not asked.
 * @param proxyProtocol whether load balancers before it say whose connections they hand on
 * @param tls how its connections are encrypted
 * @param authentication The names of the authenticators that say who a client is, in the order in which they are asked:
 *     the first that knows it decides. Without a value, {@code tributary.security.anonymous} says whether everybody may
 *     connect.
 * @param limits what its clients may ask of the broker
 */
public record ListenerSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("tcp") Kind kind,
        @DefaultValue("127.0.0.1") String host,
        @Allowed(min = "0", max = "65535") @Nullable Integer port,
        @DefaultValue("/mqtt") String path,
        @DefaultValue("100000") @Allowed(min = "1") int maxConnections,
        @DefaultValue("0") @Allowed(min = "0") int connectRate,
        @DefaultValue("0") @Allowed(min = "0") int connectBurst,
        @Nullable List<String> allowedOrigins,
        @DefaultValue ProxyProtocolSettings proxyProtocol,
        @DefaultValue ListenerTlsSettings tls,
        @Nullable List<String> authentication,
        @DefaultValue LimitSettings limits) {

    /** What is spoken below MQTT. */
    public enum Kind {
        /** Plain TCP. */
        TCP,
        /** WebSocket, subprotocol {@code mqtt}. */
        WEBSOCKET
    }

    ListenerConfig config(String group, String name) {
        if (port == null) {
            throw new SettingException(
                    group + ".port", "is missing; it must be within 0 to 65535 (0 picks a free port)");
        }
        ListenerKind below = SettingException.naming(group, this::listenerKind);
        TlsConfig encryption = tls.config(group + ".tls");
        ProxyProtocolConfig proxies = proxyProtocol.config(group + ".proxy-protocol");
        if (allowedOrigins != null && kind == Kind.TCP) {
            throw new SettingException(
                    group + ".allowed-origins", "has no effect without kind=websocket: browsers know nothing else");
        }
        return SettingException.named(() -> ListenerConfig.builder(name, port)
                .kind(below)
                .host(host)
                .maxConnections(maxConnections)
                .connectRate(connectRate)
                .connectBurst(connectBurst)
                .limits(limits::change)
                .tls(encryption)
                .proxyProtocol(proxies)
                .allowedOrigins(stripped(allowedOrigins))
                .build());
    }

    private static @Nullable List<String> stripped(@Nullable List<String> values) {
        return values == null ? null : values.stream().map(String::strip).toList();
    }

    private ListenerKind listenerKind() {
        return switch (kind) {
            case TCP -> new ListenerKind.Tcp();
            case WEBSOCKET -> new ListenerKind.WebSocket(path);
        };
    }

    /** What is said of a name that no listener has. */
    static String unknown(String name, Set<String> listeners) {
        return "'" + name + "' is not the name of a listener; there are " + String.join(", ", new TreeSet<>(listeners));
    }
}
