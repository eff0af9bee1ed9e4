package io.tributary.security.x509;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** A place in a certificate where its owner's name is. */
public enum CertificateName {
    /** The common name (CN) of the subject; of several, the most specific. */
    COMMON_NAME(0),
    /** The whole subject, as RFC 2253 writes it. */
    SUBJECT(0),
    /** The e-mail addresses among the subject's alternative names. */
    EMAIL(1),
    /** The DNS names among the subject's alternative names. */
    DNS(2),
    /** The URIs among the subject's alternative names. */
    URI(6);

    private final int alternative;

    CertificateName(int alternative) {
        this.alternative = alternative;
    }

    /** The names there; none when the certificate has none, or is malformed there. */
    List<String> in(X509Certificate certificate) {
        return switch (this) {
            case COMMON_NAME, SUBJECT ->
                inSubject(certificate.getSubjectX500Principal().getName());
            case EMAIL, DNS, URI -> alternatives(certificate);
        };
    }

    /** The same, when nothing is known of the certificate but its subject, as RFC 2253 writes it. */
    List<String> inSubject(String subject) {
        return switch (this) {
            case COMMON_NAME -> commonName(subject);
            case SUBJECT -> List.of(subject);
            case EMAIL, DNS, URI -> List.of();
        };
    }

    private static List<String> commonName(String subject) {
        try {
            List<Rdn> parts = new LdapName(subject).getRdns();
            for (Rdn part : parts.reversed()) { // the most specific is the last
                if (part.getType().equalsIgnoreCase("CN") && part.getValue() instanceof String text) {
                    return List.of(text);
                }
            }
        } catch (InvalidNameException malformed) {
            return List.of();
        }
        return List.of();
    }

    private List<String> alternatives(X509Certificate certificate) {
        List<String> names = new ArrayList<>();
        try {
            Collection<List<?>> all = certificate.getSubjectAlternativeNames();
            if (all != null) {
                for (List<?> name : all) {
                    if (Integer.valueOf(alternative).equals(name.get(0)) && name.get(1) instanceof String text) {
                        names.add(text);
                    }
                }
            }
        } catch (CertificateParsingException malformed) {
            return List.of();
        }
        return names;
    }
}
