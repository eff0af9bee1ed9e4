package io.tributary.broker.security.rules;

import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.Principal;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A client as rules see it: which rule sets are for it, and what placeholders stand for. None of the texts is trusted
 * to be a level of a topic.
 *
 * <p>Where not all is {@link Known}, the rules give the benefit of the doubt, for they are asked again once it is: a
 * condition on what is not known holds for rules that allow and not for those that deny, and so does a placeholder.
 *
 * @param clientId the client identifier
 * @param userName the user name that an authenticator accepted, or null
 * @param commonName the common name in the certificate that the client proved to own, or null
 * @param tenant the tenant, or null
 * @param groups the groups that the client belongs to
 * @param listener the name of the listener that the client came through, or null
 * @param remoteAddress the address of the client, or null
 * @param claims what else an authenticator said of the client, by name
 * @param rules rules of the client's own, which are asked after all others
 * @param known what of all this is known
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
        List<Rule> rules,
        Known known) {

    /** What is known of a client. */
    public enum Known {
        /** Nothing but its identifier: of a session that was stored without its principal, or is on another node. */
        CLIENT_ID,
        /** What is stored with its session; not where it comes from, nor its claims. */
        PRINCIPAL,
        /** All: what is null or empty is not there. */
        ALL
    }

    /** Copies the collections. */
    public Subject {
        groups = Set.copyOf(groups);
        claims = Map.copyOf(claims);
        rules = List.copyOf(rules);
    }

    /** A client of which all is known. */
    public Subject(
            String clientId,
            @Nullable String userName,
            @Nullable String commonName,
            @Nullable String tenant,
            Set<String> groups,
            @Nullable String listener,
            @Nullable InetAddress remoteAddress,
            Map<String, String> claims,
            List<Rule> rules) {
        this(clientId, userName, commonName, tenant, groups, listener, remoteAddress, claims, rules, Known.ALL);
    }

    /** A client that is connected, or a back-end. */
    static Subject of(ClientInfo client) {
        return of(client, client.principal() == null ? Principal.ANONYMOUS : client.principal(), Known.ALL);
    }

    /** A client whose connection is not known. */
    static Subject ofAway(ClientInfo client) {
        Principal principal = client.principal();
        return principal == null
                ? of(client, Principal.ANONYMOUS, Known.CLIENT_ID)
                : of(client, principal, Known.PRINCIPAL);
    }

    /** User name and groups are the principal's: what a client says of itself in CONNECT proves nothing. */
    private static Subject of(ClientInfo client, Principal principal, Known known) {
        return new Subject(
                client.clientId(),
                principal.userName(),
                principal.commonName(),
                principal.tenant(),
                Set.copyOf(principal.groups()),
                client.listener(),
                address(client.remoteAddress()),
                client.attributes(),
                List.of(), // found by the principal
                known);
    }

    /** The address in {@code 10.0.0.7:51234} or {@code fe80:0:0:0:0:0:0:1%eth0:51234}; null for anything else. */
    private static @Nullable InetAddress address(@Nullable String hostAndPort) {
        int port = hostAndPort == null ? -1 : hostAndPort.lastIndexOf(':');
        if (hostAndPort == null || port < 0) {
            return null;
        }
        int scope = hostAndPort.indexOf('%');
        try {
            return InetAddress.ofLiteral(hostAndPort.substring(0, scope < 0 ? port : scope));
        } catch (IllegalArgumentException _) {
            return null;
        }
    }
}
