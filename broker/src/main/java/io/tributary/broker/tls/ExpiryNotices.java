package io.tributary.broker.tls;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log, once each, that a certificate expires in 30 days, in 7 days, in one day, or has expired. */
final class ExpiryNotices {
    private static final Logger LOG = LoggerFactory.getLogger(ExpiryNotices.class);
    private static final List<Duration> BEFORE = List.of(Duration.ofDays(30), Duration.ofDays(7), Duration.ofDays(1));

    private final String name;
    private final Map<X509Certificate, Integer> told = new HashMap<>(); // how many notices

    ExpiryNotices(String name) {
        this.name = name;
    }

    /** How long a certificate holds from now on; negative when it does not any more. */
    static Duration left(X509Certificate certificate, Instant now) {
        return Duration.between(now, certificate.getNotAfter().toInstant());
    }

    /** Why a certificate does not hold now, in words; null when it does. */
    static @Nullable String problem(X509Certificate certificate, Instant now) {
        if (left(certificate, now).isNegative()) {
            return "has expired at " + certificate.getNotAfter().toInstant();
        }
        Instant from = certificate.getNotBefore().toInstant();
        return now.isBefore(from) ? "holds from " + from + " on only" : null;
    }

    /** Says what is due. */
    void tell(List<Identity> identities, Instant now) {
        told.keySet()
                .removeIf(known -> identities.stream()
                        .noneMatch(identity -> identity.certificate().equals(known)));
        for (Identity identity : identities) {
            X509Certificate certificate = identity.certificate();
            int due = due(certificate, now);
            Integer before = told.put(certificate, due);
            if (due > (before == null ? 0 : before)) {
                say(identity, now);
            }
        }
    }

    private static int due(X509Certificate certificate, Instant now) {
        if (problem(certificate, now) != null) {
            return BEFORE.size() + 1;
        }
        Duration left = left(certificate, now);
        return (int)
                BEFORE.stream().filter(before -> left.compareTo(before) <= 0).count();
    }

    private void say(Identity identity, Instant now) {
        X509Certificate certificate = identity.certificate();
        String problem = problem(certificate, now);
        if (problem == null) {
            LOG.warn(
                    "TLS of {}: the certificate of {} ({}) expires at {}",
                    name,
                    identity.host(),
                    certificate.getSubjectX500Principal(),
                    certificate.getNotAfter().toInstant());
        } else {
            LOG.error(
                    "TLS of {}: the certificate of {} ({}) {}: clients refuse it",
                    name,
                    identity.host(),
                    certificate.getSubjectX500Principal(),
                    problem);
        }
    }
}
