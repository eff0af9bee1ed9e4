package io.tributary.broker.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a listener's connections are encrypted:
 * {@code TlsConfig.builder(certificate, key).clientCertificates(NEED).authorities(devices).build()}.
 */
public final class TlsConfig {
    /** How long a handshake may take unless something else is said. */
    public static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

    /** How many handshakes may be under way at once unless something else is said. */
    public static final int MAX_HANDSHAKES = 1_000;

    private static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");

    /** Whether clients show certificates. */
    public enum ClientCertificates {
        /** They are not asked for one. */
        NONE,
        /** They may show one; a certificate that is shown must be good. */
        WANT,
        /** Who shows none does not get in. */
        NEED
    }

    private final CertificateFiles identity;
    private final Map<String, CertificateFiles> hosts;
    private final ClientCertificates clientCertificates;
    private final @Nullable Path authorities;
    private final @Nullable Path crls;
    private final boolean acceptsOutdatedCrls;
    private final List<String> protocols;
    private final List<String> ciphers;
    private final @Nullable Path ticketKeys;
    private final Duration handshakeTimeout;
    private final int maxHandshakes;
    private final @Nullable TlsEngine engine;
    private final boolean ocspStapling;

    private TlsConfig(Builder from) {
        identity = from.identity;
        hosts = Map.copyOf(from.hosts);
        clientCertificates = from.clientCertificates;
        authorities = from.authorities;
        crls = from.crls;
        acceptsOutdatedCrls = from.acceptsOutdatedCrls;
        protocols = from.protocols;
        ciphers = from.ciphers;
        ticketKeys = from.ticketKeys;
        handshakeTimeout = from.handshakeTimeout;
        maxHandshakes = from.maxHandshakes;
        engine = from.engine;
        ocspStapling = from.ocspStapling;
        checkProtocols(protocols);
        checkClients(clientCertificates, authorities, crls, ticketKeys);
        if (!handshakeTimeout.isPositive()) {
            throw new TlsException("handshake-timeout", "'" + handshakeTimeout + "' must be positive");
        }
        if (maxHandshakes < 1) {
            throw new TlsException("max-handshakes", "'" + maxHandshakes + "' must be at least 1");
        }
    }

    private static void checkProtocols(List<String> protocols) {
        if (protocols.isEmpty() || !VERSIONS.containsAll(protocols)) {
            throw new TlsException(
                    "protocols", "'" + String.join(",", protocols) + "' must be TLSv1.3, TLSv1.2 or TLSv1.3,TLSv1.2");
        }
    }

    private static void checkClients(
            ClientCertificates asked, @Nullable Path authorities, @Nullable Path crls, @Nullable Path ticketKeys) {
        boolean isAsked = asked != ClientCertificates.NONE;
        if (isAsked && authorities == null) {
            throw new TlsException(
                    "authorities",
                    "is missing; with client-certificates it must be a file with the certificates of the authorities that"
                            + " clients' certificates come from");
        }
        if (isAsked && ticketKeys != null) {
            throw new TlsException(
                    "ticket-keys",
                    "'" + ticketKeys + "' has no effect with client-certificates: a resumed session would show none");
        }
        for (Map.Entry<String, @Nullable Path> file : nullable("authorities", authorities, "crls", crls)) {
            if (!isAsked && file.getValue() != null) {
                throw new TlsException(
                        file.getKey(),
                        "'" + file.getValue() + "' has no effect without client-certificates=want or need");
            }
        }
    }

    private static Set<Map.Entry<String, @Nullable Path>> nullable(
            String one, @Nullable Path of, String other, @Nullable Path ofOther) {
        Map<String, @Nullable Path> files = new HashMap<>();
        files.put(one, of);
        files.put(other, ofOther);
        return files.entrySet();
    }

    /** TLS 1.3 and 1.2 with the cipher suites of the best engine; clients show no certificates. */
    public static TlsConfig of(Path certificate, Path privateKey) {
        return builder(certificate, privateKey).build();
    }

    /** The same as {@link #of}, to be changed. */
    public static Builder builder(Path certificate, Path privateKey) {
        return builder(CertificateFiles.of(certificate, privateKey));
    }

    /** TLS 1.3 and 1.2 with the cipher suites of the best engine and without clients' certificates, to be changed. */
    public static Builder builder(CertificateFiles identity) {
        return new Builder(identity);
    }

    /** These values, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** What the listener shows to clients that ask for none of the hosts. */
    public CertificateFiles identity() {
        return identity;
    }

    /** What it shows to clients that ask for certain names (SNI), under labels that metrics show. */
    public Map<String, CertificateFiles> hosts() {
        return hosts;
    }

    /** Whether clients show certificates. */
    public ClientCertificates clientCertificates() {
        return clientCertificates;
    }

    /** The certificates of the authorities that clients' certificates come from; null when clients show none. */
    public @Nullable Path authorities() {
        return authorities;
    }

    /** A file with revocation lists, or a folder that has nothing else; null for none. */
    public @Nullable Path crls() {
        return crls;
    }

    /** Whether a certificate is accepted whose issuer has no list that is up to date. */
    public boolean acceptsOutdatedCrls() {
        return acceptsOutdatedCrls;
    }

    /** The versions of TLS. */
    public List<String> protocols() {
        return protocols;
    }

    /** The cipher suites, the best first; empty for those of the engine. */
    public List<String> ciphers() {
        return ciphers;
    }

    /** A file with the keys of session tickets; null for no tickets. */
    public @Nullable Path ticketKeys() {
        return ticketKeys;
    }

    /** How long a handshake may take. */
    public Duration handshakeTimeout() {
        return handshakeTimeout;
    }

    /** How many handshakes may be under way at once. */
    public int maxHandshakes() {
        return maxHandshakes;
    }

    /** Whether clients are given what the authority says of the broker's certificate (OCSP). */
    public boolean ocspStapling() {
        return ocspStapling;
    }

    /** What encrypts. */
    public TlsEngine chosenEngine() {
        return engine == null ? TlsEngine.best() : engine;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TlsConfig that && values().equals(that.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    private List<@Nullable Object> values() {
        return Arrays.asList(
                identity,
                hosts,
                clientCertificates,
                authorities,
                crls,
                acceptsOutdatedCrls,
                protocols,
                ciphers,
                ticketKeys,
                handshakeTimeout,
                maxHandshakes,
                engine,
                ocspStapling);
    }

    @Override
    public String toString() {
        return "TlsConfig[" + identity + "]";
    }

    /** Collects values under the names of the settings. Not thread-safe. */
    public static final class Builder {
        private final CertificateFiles identity;
        private final Map<String, CertificateFiles> hosts = new HashMap<>();
        private ClientCertificates clientCertificates = ClientCertificates.NONE;
        private @Nullable Path authorities;
        private @Nullable Path crls;
        private boolean acceptsOutdatedCrls;
        private List<String> protocols = VERSIONS;
        private List<String> ciphers = List.of();
        private @Nullable Path ticketKeys;
        private Duration handshakeTimeout = HANDSHAKE_TIMEOUT;
        private int maxHandshakes = MAX_HANDSHAKES;
        private @Nullable TlsEngine engine;
        private boolean ocspStapling;

        private Builder(CertificateFiles identity) {
            this.identity = identity;
        }

        private Builder(TlsConfig from) {
            identity = from.identity;
            hosts.putAll(from.hosts);
            clientCertificates = from.clientCertificates;
            authorities = from.authorities;
            crls = from.crls;
            acceptsOutdatedCrls = from.acceptsOutdatedCrls;
            protocols = from.protocols;
            ciphers = from.ciphers;
            ticketKeys = from.ticketKeys;
            handshakeTimeout = from.handshakeTimeout;
            maxHandshakes = from.maxHandshakes;
            engine = from.engine;
            ocspStapling = from.ocspStapling;
        }

        /**
         * A further certificate, which clients get that ask for its names (SNI).
         *
         * @param label a name of your own, which metrics show
         */
        public Builder host(String label, CertificateFiles files) {
            hosts.put(label, files);
            return this;
        }

        /** Whether clients show certificates; who may, needs {@link #authorities}. */
        public Builder clientCertificates(ClientCertificates value) {
            clientCertificates = value;
            return this;
        }

        /** The certificates (PEM) of the authorities that clients' certificates come from. */
        public Builder authorities(@Nullable Path value) {
            authorities = value;
            return this;
        }

        /** A file with certificate revocation lists (PEM or DER), or a folder that has nothing else; null for none. */
        public Builder crls(@Nullable Path value) {
            crls = value;
            return this;
        }

        /**
         * Whether a certificate is accepted although the list of its issuer is past its next update, or there is no
         * list of its issuer.
         */
        public Builder acceptsOutdatedCrls(boolean value) {
            acceptsOutdatedCrls = value;
            return this;
        }

        /** The versions of TLS, of {@code TLSv1.2} and {@code TLSv1.3}. */
        public Builder protocols(List<String> value) {
            protocols = List.copyOf(value);
            return this;
        }

        /** The cipher suites, the best first; empty for those of the engine. */
        public Builder ciphers(List<String> value) {
            ciphers = List.copyOf(value);
            return this;
        }

        /**
         * A file with keys of 48 random bytes each, the same for all nodes, by which clients resume their TLS sessions
         * anywhere; the first key encrypts. Null for no tickets.
         */
        public Builder ticketKeys(@Nullable Path value) {
            ticketKeys = value;
            return this;
        }

        /** How long a handshake may take. */
        public Builder handshakeTimeout(Duration value) {
            handshakeTimeout = value;
            return this;
        }

        /** How many handshakes may be under way at once; those of further clients begin later. */
        public Builder maxHandshakes(int value) {
            maxHandshakes = value;
            return this;
        }

        /** What encrypts; null for the best there is. */
        public Builder engine(@Nullable TlsEngine value) {
            engine = value;
            return this;
        }

        /** Whether clients are given what the authority says of the broker's certificate (OCSP); needs OpenSSL. */
        public Builder ocspStapling(boolean value) {
            ocspStapling = value;
            return this;
        }

        /**
         * The whole.
         *
         * @throws TlsException when a value is not allowed, or what belongs together does not, with the setting's name
         */
        public TlsConfig build() {
            return new TlsConfig(this);
        }
    }
}
