package io.tributary.security.x509;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The identity in a client's TLS certificate: a name in it that fits a pattern. It sees only certificates whose key the
 * client has proved to own and that the listener's authorities have signed, or of which a trusted proxy says so; of
 * these it sees the subject alone, else the client is accepted until the certificate ends. A client without a
 * certificate, or with one that has no such name, is left to the next authenticator.
 */
public final class X509Authenticator implements Authenticator {
    /** The groups of a pattern that say something. */
    private static final String NAME = "name";

    private static final String TENANT = "tenant";
    private static final String GROUP = "group";

    private final Config config;
    private final InstantSource clock;

    private X509Authenticator(Config config, InstantSource clock) {
        this.config = config;
        this.clock = clock;
    }

    /**
     * How one is configured.
     *
     * @param source where the name is
     * @param pattern what a name must match; its named groups (name, tenant, group) say which part is which, and
     *     without the first the whole is the name; null for any name
     * @param groups the groups that each client is in
     * @param realm what the names are unique in
     */
    public record Config(CertificateName source, @Nullable TextPattern pattern, List<String> groups, String realm)
            implements AuthenticatorConfig {

        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException when the pattern has a group that says nothing
         */
        public Config {
            groups = List.copyOf(groups);
            if (pattern != null) {
                for (String group : pattern.groupNames()) {
                    if (!List.of(NAME, TENANT, GROUP).contains(group)) {
                        throw new IllegalArgumentException("'" + pattern + "' has a group " + group
                                + "; groups are called name, tenant and group");
                    }
                }
            }
        }

        @Override
        public Link open(String name, AuthenticatorContext context) {
            return new Link(name, new X509Authenticator(this, context.clock()));
        }
    }

    @Override
    public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
        X509Certificate certificate = client.certificate();
        String subject = client.certificateSubject();
        if (certificate == null && subject == null) {
            return Authenticator.answer(NotMine.PLAIN);
        }
        for (String text : names(config.source(), certificate, subject)) {
            Map<String, String> parts =
                    config.pattern() == null ? Map.of() : config.pattern().groups(text);
            String name = parts == null ? null : parts.getOrDefault(NAME, text);
            if (parts != null && name != null && !name.isEmpty()) {
                List<String> commonNames = names(CertificateName.COMMON_NAME, certificate, subject);
                Instant end =
                        certificate == null ? null : certificate.getNotAfter().toInstant();
                return Authenticator.answer(
                        accepted(name, parts, commonNames.isEmpty() ? null : commonNames.getFirst(), end));
            }
        }
        return Authenticator.answer(NotMine.PLAIN);
    }

    private static List<String> names(
            CertificateName place, @Nullable X509Certificate certificate, @Nullable String subject) {
        if (certificate != null) {
            return place.in(certificate);
        }
        return subject == null ? List.of() : place.inSubject(subject);
    }

    private Result accepted(
            String name, Map<String, String> parts, @Nullable String commonName, @Nullable Instant end) {
        List<String> groups = new ArrayList<>(config.groups());
        String group = parts.get(GROUP);
        if (group != null && !group.isEmpty()) {
            groups.add(group);
        }
        if (end != null && !clock.instant().isBefore(end)) {
            return new Refused(ReasonCode.NOT_AUTHORIZED, "the certificate has expired");
        }
        try {
            return new Accepted(
                    null,
                    new Principal(config.realm(), name, null, parts.get(TENANT), groups, commonName),
                    end,
                    Map.of());
        } catch (IllegalArgumentException tooLong) {
            return new Refused(ReasonCode.NOT_AUTHORIZED, tooLong.getMessage());
        }
    }
}
