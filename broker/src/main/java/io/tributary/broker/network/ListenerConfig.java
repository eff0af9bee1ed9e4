package io.tributary.broker.network;

import static io.tributary.common.setting.InvalidSettingException.checkWithin;
import static io.tributary.common.setting.InvalidSettingException.under;

import io.tributary.broker.connection.ClientLimits;
import io.tributary.broker.tls.TlsConfig;
import io.tributary.common.setting.InvalidSettingException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One place where clients connect. Without a host of its own, a listener is for clients on this machine only. */
public final class ListenerConfig {
    private static final String LOOPBACK = "127.0.0.1";

    private final String name;
    private final ListenerKind kind;
    private final String host;
    private final int port;
    private final AdmissionLimits admission;
    private final ClientLimits limits;
    private final @Nullable TlsConfig tls;
    private final @Nullable ProxyProtocolConfig proxyProtocol;
    private final @Nullable AllowedOrigins allowedOrigins;

    private ListenerConfig(Builder from) {
        name = from.name;
        kind = from.kind;
        host = from.host;
        port = from.port;
        checkWithin("port", port, 0, 65_535);
        admission = new AdmissionLimits(
                from.maxConnections, from.connectRate, from.connectBurst == 0 ? from.connectRate : from.connectBurst);
        limits = under("limits", from.limits::build);
        tls = from.tls;
        proxyProtocol = from.proxyProtocol;
        allowedOrigins = from.allowedOrigins == null ? null : AllowedOrigins.of(from.allowedOrigins);
    }

    /** A plain TCP listener for this machine only, with default limits. */
    public static ListenerConfig tcp(String name, int port) {
        return builder(name, port).build();
    }

    /**
     * A plain TCP listener with default limits: no encryption, and everybody who reaches the address may connect unless
     * an authenticator says otherwise.
     *
     * @param host the local address, or {@code 0.0.0.0} for all
     */
    public static ListenerConfig tcp(String name, String host, int port) {
        return builder(name, port).host(host).build();
    }

    /**
     * A plain TCP listener for this machine only, to be changed.
     *
     * @param name unique in the broker; log lines, metrics and authenticators see it
     * @param port 0 picks a free one
     */
    public static Builder builder(String name, int port) {
        return new Builder(name, port);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Its name, unique in the broker, which log lines, metrics and authenticators see. */
    public String name() {
        return name;
    }

    /** The protocol below MQTT. */
    public ListenerKind kind() {
        return kind;
    }

    /** The local address, or {@code 0.0.0.0} for all. */
    public String host() {
        return host;
    }

    /** The port; 0 picks a free one. */
    public int port() {
        return port;
    }

    /** How many clients it takes, and how fast. */
    public AdmissionLimits admission() {
        return admission;
    }

    /** Limits of the clients' packets and connections. */
    public ClientLimits limits() {
        return limits;
    }

    /** How connections are encrypted; null for not at all. */
    public @Nullable TlsConfig tls() {
        return tls;
    }

    /** How proxies say whose connections they hand on; null where clients connect themselves. */
    public @Nullable ProxyProtocolConfig proxyProtocol() {
        return proxyProtocol;
    }

    /** The web pages from which browsers may connect; null for those of the default. */
    public @Nullable AllowedOrigins allowedOrigins() {
        return allowedOrigins;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ListenerConfig that
                && name.equals(that.name)
                && kind.equals(that.kind)
                && host.equals(that.host)
                && port == that.port
                && admission.equals(that.admission)
                && limits.equals(that.limits)
                && Objects.equals(tls, that.tls)
                && Objects.equals(proxyProtocol, that.proxyProtocol)
                && Objects.equals(allowedOrigins, that.allowedOrigins);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, kind, host, port, admission, limits, tls, proxyProtocol, allowedOrigins);
    }

    @Override
    public String toString() {
        return "ListenerConfig[" + name + ", " + kind + ", " + host + ":" + port + "]";
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final ClientLimits.Builder limits;
        private ListenerKind kind;
        private String host;
        private int port;
        private int maxConnections;
        private int connectRate;
        private int connectBurst;
        private @Nullable TlsConfig tls;
        private @Nullable ProxyProtocolConfig proxyProtocol;
        private @Nullable List<String> allowedOrigins;

        private Builder(String name, int port) {
            this.name = name;
            this.port = port;
            kind = new ListenerKind.Tcp();
            host = LOOPBACK;
            maxConnections = AdmissionLimits.DEFAULT.maxConnections();
            limits = ClientLimits.builder();
        }

        private Builder(ListenerConfig from) {
            name = from.name;
            port = from.port;
            kind = from.kind;
            host = from.host;
            maxConnections = from.admission.maxConnections();
            connectRate = from.admission.connectsPerSecond();
            connectBurst = from.admission.connectBurst() == connectRate ? 0 : from.admission.connectBurst();
            limits = from.limits.toBuilder();
            tls = from.tls;
            proxyProtocol = from.proxyProtocol;
            allowedOrigins = from.allowedOrigins == null ? null : from.allowedOrigins.texts();
        }

        /** The protocol below MQTT: {@link ListenerKind.Tcp} or {@link ListenerKind.WebSocket}. */
        public Builder kind(ListenerKind value) {
            kind = value;
            return this;
        }

        /**
         * The local address, or {@code 0.0.0.0} for all: then everybody who reaches this machine may try to connect.
         */
        public Builder host(String value) {
            host = value;
            return this;
        }

        /** The port; 0 picks a free one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /** The most connections at once. */
        public Builder maxConnections(int value) {
            maxConnections = value;
            return this;
        }

        /** How many connections are taken a second in the long run; 0 for no limit. */
        public Builder connectRate(int value) {
            connectRate = value;
            return this;
        }

        /** How many connections may come at once when there is a rate; 0 for as many as the rate allows in a second. */
        public Builder connectBurst(int value) {
            connectBurst = value;
            return this;
        }

        /** How connections are encrypted; null for not at all. Its files are read when the broker starts. */
        public Builder tls(@Nullable TlsConfig value) {
            tls = value;
            return this;
        }

        /** How proxies say whose connections they hand on; null where clients connect themselves. */
        public Builder proxyProtocol(@Nullable ProxyProtocolConfig value) {
            proxyProtocol = value;
            return this;
        }

        /**
         * The web pages from which browsers may connect, as {@link AllowedOrigins} has them. Null, the default: at a
         * listener for this machine only, pages of this machine; elsewhere all.
         */
        public Builder allowedOrigins(@Nullable List<String> value) {
            allowedOrigins = value == null ? null : List.copyOf(value);
            return this;
        }

        /** Changes what the listener's clients may ask of the broker. */
        public Builder limits(Consumer<ClientLimits.Builder> change) {
            change.accept(limits);
            return this;
        }

        /**
         * The whole.
         *
         * @throws InvalidSettingException when a value is not allowed, with the name of its setting
         */
        public ListenerConfig build() {
            return under("listeners." + name, () -> new ListenerConfig(this));
        }
    }
}
