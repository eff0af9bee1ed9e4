package io.tributary.broker.security.rules;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client as rules see it: which rule sets are for it, and what placeholders stand for. None of the texts is trusted
 * to be a level of a topic.
 *
 * @param clientId the client identifier
 * @param userName the user name, or null
 * @param commonName the common name in the certificate that the client proved to own, or null
 * @param tenant the tenant, or null
 * @param groups the groups that the client belongs to
 * @param listener the name of the listener that the client came through, or null when it is not known
 * @param remoteAddress the address of the client, or null when it is not known
 * @param claims what else an authenticator said of the client, by name
 * @param rules rules of the client's own, which are asked after all others
 */
public record Subject(
        String clientId,
        @Nullable String userName,
        @Nullable String commonName,
        @Nullable String tenant,
        Set<String> groups,
        @Nullable String listener,
        @Nullable InetAddress remoteAddress,
        Map<String, String> claims,
        List<Rule> rules) {

    /** Copies the collections. */
    public Subject {
        groups = Set.copyOf(groups);
        claims = Map.copyOf(claims);
        rules = List.copyOf(rules);
    }

    /** A client of which nothing but its identifier is known. */
    public static Subject ofClientId(String clientId) {
        return new Subject(clientId, null, null, null, Set.of(), null, null, Map.of(), List.of());
    }
}
