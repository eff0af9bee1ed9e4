package io.tributary.broker.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a listener's connections are encrypted. Begin with {@link #of} and change what is to differ:
 * {@code TlsConfig.of(certificate, key).withClientCertificates(NEED, authorities)}.
 *
 * @param identity what the listener shows to clients that ask for none of the hosts
 * @param hosts what it shows to clients that ask for certain names (SNI), under labels of your own, which metrics show
 * @param clientCertificates whether clients show certificates
 * @param authorities the certificates (PEM) of the authorities that clients' certificates come from; null when clients
 *     show none
 * @param crls a file with certificate revocation lists (PEM or DER), or a folder that has nothing else; null for none
 * @param acceptsOutdatedCrls whether a certificate is accepted although the list of its issuer is past its next update,
 *     or there is no list of its issuer
 * @param protocols the versions of TLS, of {@code TLSv1.2} and {@code TLSv1.3}
 * @param ciphers the cipher suites, the best first; empty for those of the engine
 * @param ticketKeys a file with keys of 48 random bytes each, the same for all nodes, by which clients resume their TLS
 *     sessions anywhere; the first key encrypts. Null for no tickets
 * @param handshakeTimeout how long a handshake may take
 * @param maxHandshakes how many handshakes may be under way at once; those of further clients begin later
 * @param engine what encrypts; null for the best there is
 * @param ocspStapling whether clients are given what the authority says of the broker's certificate (OCSP); needs
 *     OpenSSL
 */
public record TlsConfig(
        CertificateFiles identity,
        Map<String, CertificateFiles> hosts,
        ClientCertificates clientCertificates,
        @Nullable Path authorities,
        @Nullable Path crls,
        boolean acceptsOutdatedCrls,
        List<String> protocols,
        List<String> ciphers,
        @Nullable Path ticketKeys,
        Duration handshakeTimeout,
        int maxHandshakes,
        @Nullable TlsEngine engine,
        boolean ocspStapling) {

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

    /** Checks what belongs together. */
    public TlsConfig {
        hosts = Map.copyOf(hosts);
        protocols = List.copyOf(protocols);
        ciphers = List.copyOf(ciphers);
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
        return of(CertificateFiles.of(certificate, privateKey));
    }

    /** TLS 1.3 and 1.2 with the cipher suites of the best engine; clients show no certificates. */
    public static TlsConfig of(CertificateFiles identity) {
        return new TlsConfig(
                identity,
                Map.of(),
                ClientCertificates.NONE,
                null,
                null,
                false,
                VERSIONS,
                List.of(),
                null,
                HANDSHAKE_TIMEOUT,
                MAX_HANDSHAKES,
                null,
                false);
    }

    /** The same with a further certificate, which clients get that ask for its names. */
    public TlsConfig withHost(String label, CertificateFiles files) {
        Map<String, CertificateFiles> more = new HashMap<>(hosts);
        more.put(label, files);
        return with(identity, more, clientCertificates, authorities, crls, acceptsOutdatedCrls);
    }

    /** The same, and clients show certificates of these authorities. */
    public TlsConfig withClientCertificates(ClientCertificates asked, Path newAuthorities) {
        return with(identity, hosts, asked, newAuthorities, crls, acceptsOutdatedCrls);
    }

    /** The same, and clients' certificates must not be on these lists. */
    public TlsConfig withCrls(Path newCrls, boolean acceptsOutdated) {
        return with(identity, hosts, clientCertificates, authorities, newCrls, acceptsOutdated);
    }

    private TlsConfig with(
            CertificateFiles newIdentity,
            Map<String, CertificateFiles> newHosts,
            ClientCertificates newAsked,
            @Nullable Path newAuthorities,
            @Nullable Path newCrls,
            boolean newAcceptsOutdated) {
        return new TlsConfig(
                newIdentity,
                newHosts,
                newAsked,
                newAuthorities,
                newCrls,
                newAcceptsOutdated,
                protocols,
                ciphers,
                ticketKeys,
                handshakeTimeout,
                maxHandshakes,
                engine,
                ocspStapling);
    }

    /** The same with these versions of TLS and these cipher suites. */
    public TlsConfig withProtocols(List<String> newProtocols, List<String> newCiphers) {
        return new TlsConfig(
                identity,
                hosts,
                clientCertificates,
                authorities,
                crls,
                acceptsOutdatedCrls,
                newProtocols,
                newCiphers,
                ticketKeys,
                handshakeTimeout,
                maxHandshakes,
                engine,
                ocspStapling);
    }

    /** The same with these limits to handshakes. */
    public TlsConfig withHandshakes(Duration timeout, int most) {
        return new TlsConfig(
                identity,
                hosts,
                clientCertificates,
                authorities,
                crls,
                acceptsOutdatedCrls,
                protocols,
                ciphers,
                ticketKeys,
                timeout,
                most,
                engine,
                ocspStapling);
    }

    /** The same with session tickets that are encrypted with the keys in this file. */
    public TlsConfig withTicketKeys(Path newTicketKeys) {
        return new TlsConfig(
                identity,
                hosts,
                clientCertificates,
                authorities,
                crls,
                acceptsOutdatedCrls,
                protocols,
                ciphers,
                newTicketKeys,
                handshakeTimeout,
                maxHandshakes,
                engine,
                ocspStapling);
    }

    /** The same with this engine. */
    public TlsConfig withEngine(TlsEngine newEngine) {
        return new TlsConfig(
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
                newEngine,
                ocspStapling);
    }

    /** The same, and clients are given what the authority says of the broker's certificate. */
    public TlsConfig withOcspStapling() {
        return new TlsConfig(
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
                true);
    }

    /** What encrypts. */
    public TlsEngine chosenEngine() {
        return engine == null ? TlsEngine.best() : engine;
    }
}
