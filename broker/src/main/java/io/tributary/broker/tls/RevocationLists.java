package io.tributary.broker.tls;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CRLException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Certificate revocation lists. Of the lists that an issuer has signed the newest counts. Complete lists only: those of
 * changes (delta) and of some certificates (with an issuing distribution point) are refused. Any thread.
 */
final class RevocationLists {
    private static final int WARN_FROM = 10;
    private static final int MOST_OTHERS = 16;

    private final Map<X500Principal, List<SignedList>> byIssuer = new HashMap<>();
    private final List<X509Certificate> authorities;
    private final boolean acceptsOutdated;
    private final InstantSource clock;

    /** A list, the key that is known to have signed it, and some that have not: a long list takes long to hash. */
    private static final class SignedList {
        private final X509CRL list;
        private final Set<PublicKey> others = ConcurrentHashMap.newKeySet();
        private volatile @Nullable PublicKey signer;

        SignedList(X509CRL list) {
            this.list = list;
        }

        boolean isSignedWith(PublicKey key) {
            if (key.equals(signer)) {
                return true;
            }
            if (others.contains(key)) {
                return false;
            }
            try {
                list.verify(key);
                signer = key;
                return true;
            } catch (GeneralSecurityException notWithThis) {
                if (others.size() < MOST_OTHERS) {
                    others.add(key);
                }
                return false;
            }
        }
    }

    private RevocationLists(List<X509Certificate> authorities, boolean acceptsOutdated, InstantSource clock) {
        this.authorities = authorities;
        this.acceptsOutdated = acceptsOutdated;
        this.clock = clock;
    }

    /**
     * Reads lists.
     *
     * @throws TlsException when there is none, one cannot be read, or one is said to be of an authority that has not
     *     signed it
     */
    static RevocationLists read(
            TlsFiles contents,
            Path place,
            List<X509Certificate> authorities,
            boolean acceptsOutdated,
            InstantSource clock) {
        RevocationLists lists = new RevocationLists(authorities, acceptsOutdated, clock);
        for (Path file : contents.lists()) {
            try {
                CertificateFactory.getInstance("X.509")
                        .generateCRLs(new ByteArrayInputStream(contents.bytes("crls", file)))
                        .forEach(list -> lists.add(file, (X509CRL) list));
            } catch (CRLException | CertificateException e) {
                throw new TlsException("crls", "'" + file + "' is no revocation list: " + e.getMessage());
            }
        }
        if (lists.byIssuer.isEmpty()) {
            throw new TlsException("crls", "'" + place + "' has no revocation list; it must have at least one");
        }
        lists.byIssuer
                .values()
                .forEach(ofIssuer -> ofIssuer.sort(Comparator.comparing((SignedList one) -> one.list.getThisUpdate())
                        .reversed()));
        return lists;
    }

    private void add(Path file, X509CRL list) {
        if (list.getExtensionValue("2.5.29.27") != null || list.getExtensionValue("2.5.29.28") != null) {
            throw new TlsException(
                    "crls",
                    "'" + file + "' is a list of some certificates or of changes; only complete lists are read");
        }
        SignedList signed = new SignedList(list);
        List<X509Certificate> named = authorities.stream()
                .filter(one -> one.getSubjectX500Principal().equals(list.getIssuerX500Principal()))
                .toList();
        if (!named.isEmpty() && named.stream().noneMatch(one -> signed.isSignedWith(one.getPublicKey()))) {
            throw new TlsException("crls", "'" + file + "' is not signed by " + list.getIssuerX500Principal());
        }
        byIssuer.computeIfAbsent(list.getIssuerX500Principal(), _ -> new ArrayList<>())
                .add(signed);
    }

    /**
     * Checks a certificate whose issuer is known.
     *
     * @throws CertPathValidatorException when it is revoked, or not known not to be
     */
    void check(X509Certificate certificate, @Nullable X509Certificate issuer) throws CertPathValidatorException {
        X509CRL list = listFor(certificate, issuer == null ? authorities : List.of(issuer));
        if (list == null) {
            if (!isOfAuthority(certificate) && !acceptsOutdated) {
                throw unlisted(certificate);
            }
        } else if (list.getRevokedCertificate(certificate.getSerialNumber()) != null) {
            throw invalid("certificate " + words(certificate) + " is revoked", BasicReason.REVOKED);
        } else if (isOutdated(list, clock.instant()) && !acceptsOutdated) {
            throw invalid(
                    "the revocation list of " + list.getIssuerX500Principal() + " is outdated",
                    BasicReason.UNDETERMINED_REVOCATION_STATUS);
        }
    }

    /**
     * Checks that an issuer's list covers the first certificate, the other side's own, where it is one of an authority
     * that {@link #check} lets pass without a list. To be called once the certificates are found valid.
     *
     * @throws CertificateException when no list does
     */
    void checkOwn(X509Certificate[] shown) throws CertificateException {
        if (!isOfAuthority(shown[0]) || acceptsOutdated) {
            return;
        }
        List<X509Certificate> issuers = new ArrayList<>(authorities);
        issuers.addAll(List.of(shown));
        if (listFor(shown[0], issuers) == null) {
            throw new CertificateException(unlisted(shown[0]));
        }
    }

    private static boolean isOfAuthority(X509Certificate certificate) {
        return certificate.getBasicConstraints() >= 0;
    }

    /**
     * The certificate among those that a client has shown that is revoked; null when none is. What it has shown besides
     * its own may be no part of the path that was validated, and have the name of an authority: lists are looked for
     * from the authorities on, by keys that these have signed.
     */
    @Nullable
    X509Certificate revoked(List<X509Certificate> shown) {
        List<X509Certificate> issuers = new ArrayList<>(authorities);
        for (int i = 0; i < issuers.size(); i++) {
            X509Certificate issuer = issuers.get(i);
            for (X509Certificate one : shown) {
                if (!hasIssued(issuer, one)) {
                    continue;
                }
                X509CRL list = listOf(issuer);
                if (list != null && list.getRevokedCertificate(one.getSerialNumber()) != null) {
                    return one;
                }
                if (isOfAuthority(one) && !issuers.contains(one)) {
                    issuers.add(one);
                }
            }
        }
        return null;
    }

    /** What operators should know, a sentence each: lists that are outdated, or will be before long. */
    List<String> warnings(Instant now) {
        List<String> warnings = new ArrayList<>();
        byIssuer.forEach((issuer, lists) -> {
            X509CRL newest = lists.getFirst().list;
            if (isOutdated(newest, now)) {
                warnings.add("the revocation list of " + issuer + " is outdated since "
                        + newest.getNextUpdate().toInstant() + ": its certificates are "
                        + (acceptsOutdated ? "accepted unless they are on it" : "refused"));
            } else if (isNearlyOutdated(newest, now)) {
                warnings.add("the revocation list of " + issuer + " will be outdated at "
                        + newest.getNextUpdate().toInstant());
            }
        });
        return warnings;
    }

    /** @param known among which the certificate's issuer is, beside others perhaps */
    private @Nullable X509CRL listFor(X509Certificate certificate, List<X509Certificate> known) {
        for (X509Certificate issuer : known) {
            X509CRL list = hasIssued(issuer, certificate) ? listOf(issuer) : null;
            if (list != null) {
                return list;
            }
        }
        return null;
    }

    private @Nullable X509CRL listOf(X509Certificate issuer) {
        for (SignedList one : byIssuer.getOrDefault(issuer.getSubjectX500Principal(), List.of())) {
            if (one.isSignedWith(issuer.getPublicKey())) {
                return one.list;
            }
        }
        return null;
    }

    /** Several of one name have different keys, as after an authority got a new one. */
    private static boolean hasIssued(X509Certificate issuer, X509Certificate certificate) {
        if (!issuer.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
            return false;
        }
        try {
            certificate.verify(issuer.getPublicKey());
            return true;
        } catch (GeneralSecurityException byAnother) {
            return false;
        }
    }

    private static boolean isOutdated(X509CRL list, Instant now) {
        return list.getNextUpdate() != null && now.isAfter(list.getNextUpdate().toInstant());
    }

    private static boolean isNearlyOutdated(X509CRL list, Instant now) {
        if (list.getNextUpdate() == null) {
            return false;
        }
        Instant next = list.getNextUpdate().toInstant();
        Duration life = Duration.between(list.getThisUpdate().toInstant(), next);
        return now.isAfter(next.minus(life.dividedBy(WARN_FROM)));
    }

    static String words(X509Certificate certificate) {
        return certificate.getSubjectX500Principal() + " (serial number "
                + certificate.getSerialNumber().toString(16) + ")";
    }

    private static CertPathValidatorException unlisted(X509Certificate certificate) {
        return invalid(
                "no revocation list of " + certificate.getIssuerX500Principal(),
                BasicReason.UNDETERMINED_REVOCATION_STATUS);
    }

    private static CertPathValidatorException invalid(String words, BasicReason reason) {
        return new CertPathValidatorException(words, null, null, -1, reason);
    }
}
