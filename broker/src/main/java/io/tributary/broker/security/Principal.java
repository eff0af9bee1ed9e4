package io.tributary.broker.security;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who a client is, as the authenticator says. One person or machine may be connected with several client identifiers;
 * all of them are one principal.
 *
 * @param realm what the name is unique in, for instance a user database or a certificate authority; may be empty
 * @param name the name in the realm; empty for clients that are not told apart
 * @param userName the user name that was proved, null without one
 * @param tenant the customer or department that it belongs to, null for none
 * @param groups the groups that it is in
 * @param commonName the common name (CN) of the TLS certificate that it proved to own, null without one
 */
public record Principal(
        String realm,
        String name,
        @Nullable String userName,
        @Nullable String tenant,
        List<String> groups,
        @Nullable String commonName) {

    /** The most bytes that its texts may have together in UTF-8. */
    public static final int MAX_BYTES = 1024;

    /** All clients that have not said who they are: they are not told apart. */
    public static final Principal ANONYMOUS = new Principal("", "", null, null, List.of(), null);

    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException when the texts have more than {@link #MAX_BYTES} together
     */
    public Principal {
        groups = List.copyOf(groups);
        int bytes = Stream.concat(groups.stream(), Stream.of(realm, name, userName, tenant, commonName))
                .filter(Objects::nonNull)
                .mapToInt(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("the principal has " + bytes + " bytes: at most " + MAX_BYTES);
        }
    }

    /** Whether both are the same person or machine, whatever else is known of them. */
    public boolean isSameAs(Principal other) {
        return name.equals(other.name) && realm.equals(other.realm);
    }
}
