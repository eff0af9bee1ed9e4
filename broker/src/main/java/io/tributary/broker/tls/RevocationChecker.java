package io.tributary.broker.tls;

import java.security.cert.CertPathValidatorException;
import java.security.cert.Certificate;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks revocation lists about each certificate of a path that is being validated, the authority's next first. */
final class RevocationChecker extends PKIXCertPathChecker {
    private final RevocationLists lists;
    private @Nullable X509Certificate issuer; // of the path at hand: Java clones the checker for each

    RevocationChecker(RevocationLists lists) {
        this.lists = lists;
    }

    @Override
    public void init(boolean forward) throws CertPathValidatorException {
        if (forward) {
            throw new CertPathValidatorException("certificates come from the authority on");
        }
        issuer = null;
    }

    @Override
    public boolean isForwardCheckingSupported() {
        return false;
    }

    @Override
    @SuppressWarnings("NullAway") // as Java says it: null for no extensions
    public Set<String> getSupportedExtensions() {
        return null;
    }

    @Override
    public void check(Certificate certificate, Collection<String> unresolvedCriticalExtensions)
            throws CertPathValidatorException {
        X509Certificate next = (X509Certificate) certificate;
        lists.check(next, issuer);
        issuer = next;
    }
}
