package io.tributary.broker.tls;

import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What the files of a configuration have, read and found to fit together.
 *
 * @param identities the listener's own first
 * @param authorities those of the other side's certificates; none when it shows none
 * @param lists what is revoked; null when nobody says so
 * @param ticketKeys of 48 bytes each
 */
record TlsMaterial(
        List<Identity> identities,
        List<X509Certificate> authorities,
        @Nullable RevocationLists lists,
        List<byte[]> ticketKeys) {
    private static final int TICKET_KEY_BYTES = 48;

    /**
     * Reads all of it.
     *
     * @throws TlsException about the first thing that is wrong
     */
    static TlsMaterial of(TlsConfig config, TlsFiles files, InstantSource clock) {
        List<Identity> identities = new ArrayList<>();
        identities.add(Identity.read(Identity.DEFAULT, "", config.identity(), files));
        new TreeMap<>(config.hosts())
                .forEach((label, host) -> identities.add(Identity.read(label, "hosts." + label + ".", host, files)));
        checkNames(identities.subList(1, identities.size()));
        List<X509Certificate> authorities = config.authorities() == null
                ? List.of()
                : Identity.certificates("authorities", config.authorities(), files);
        RevocationLists lists = config.crls() == null
                ? null
                : RevocationLists.read(files, config.crls(), authorities, config.acceptsOutdatedCrls(), clock);
        return new TlsMaterial(identities, authorities, lists, ticketKeys(config, files));
    }

    private static void checkNames(List<Identity> hosts) {
        Map<String, String> seen = new HashMap<>();
        for (Identity host : hosts) {
            if (host.names().isEmpty()) {
                throw new TlsException(
                        "hosts." + host.host() + ".names",
                        "is missing; the certificate has no DNS name that clients could ask for");
            }
            for (String name : host.names()) {
                String other = seen.put(name, host.host());
                if (other != null) {
                    throw new TlsException(
                            "hosts." + host.host() + ".names",
                            "'" + name + "' is a name of hosts." + other
                                    + " too; give both the names that each is for");
                }
            }
        }
    }

    private static List<byte[]> ticketKeys(TlsConfig config, TlsFiles files) {
        if (config.ticketKeys() == null) {
            return List.of();
        }
        byte[] all = files.bytes("ticket-keys", config.ticketKeys());
        if (all.length == 0 || all.length % TICKET_KEY_BYTES != 0) {
            throw new TlsException(
                    "ticket-keys",
                    "'" + config.ticketKeys() + "' has " + all.length
                            + " bytes; it must have 48 for each key (openssl rand 48 makes one)");
        }
        List<byte[]> keys = new ArrayList<>();
        for (int at = 0; at < all.length; at += TICKET_KEY_BYTES) {
            keys.add(Arrays.copyOfRange(all, at, at + TICKET_KEY_BYTES));
        }
        return keys;
    }

    /** Validates the other side's certificates. */
    X509ExtendedTrustManager trustManager() {
        try {
            Set<TrustAnchor> anchors = authorities.stream()
                    .map(authority -> new TrustAnchor(authority, null))
                    .collect(Collectors.toSet());
            PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
            parameters.setRevocationEnabled(false); // what Java has would fetch lists, and ask each connection's issuer
            if (lists != null) {
                parameters.addCertPathChecker(new RevocationChecker(lists));
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(new CertPathTrustManagerParameters(parameters));
            X509ExtendedTrustManager validation = (X509ExtendedTrustManager) factory.getTrustManagers()[0];
            return lists == null ? validation : new ListedTrustManager(validation, lists);
        } catch (InvalidAlgorithmParameterException e) {
            throw new TlsException("authorities", "cannot be used: " + e.getMessage());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a JDK without PKIX", e);
        }
    }
}
