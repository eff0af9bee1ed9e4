package io.tributary.common.event;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who a client is, as the authenticator says. It stays in the log and with the session: while there is a session, only
 * clients of the {@link #isSameAs same} principal get it. One person or machine may be connected with several client
 * identifiers; all of them are one principal.
 *
 * @param realm what the name is unique in, for instance a user database or a certificate authority; may be empty
 * @param name the name in the realm; empty for clients that are not told apart
 * @param userName the user name that was accepted, null without one
 * @param tenant the customer or department that it belongs to, to whose topics and client identifiers it is confined
 *     ({@link TenantNames}); null for none
 * @param groups the groups that it is in
 * @param commonName the common name (CN) of the TLS certificate that it proved to own, null without one
 * @param rules rules of its own, as the broker's rules write them; empty for none
 */
public record Principal(
        String realm,
        String name,
        @Nullable String userName,
        @Nullable String tenant,
        List<String> groups,
        @Nullable String commonName,
        String rules) {

    /**
     * The most bytes that its texts but the rules may have together in UTF-8. A user name or common name that is equal
     * to the name does not count, a group counts one byte more.
     */
    public static final int MAX_BYTES = 1024;

    /** The most bytes that its rules may have in UTF-8. */
    public static final int MAX_RULES_BYTES = 1024;

    /** All clients that have not said who they are: they are not told apart. */
    public static final Principal ANONYMOUS = new Principal("", "");

    /** The broker's own clients. No authenticator has the realm: a NUL is in no setting. */
    public static final Principal BROKER = new Principal("\0", "broker");

    /**
     * Copies the list, and keeps texts that are equal to the name only once.
     *
     * @throws IllegalArgumentException when the texts have more than {@link #MAX_BYTES} together, or the rules more
     *     than {@link #MAX_RULES_BYTES}, or the tenant is not one as {@link TenantNames#check} says
     */
    public Principal {
        groups = List.copyOf(groups);
        if (tenant != null) {
            TenantNames.check(tenant);
        }
        userName = name.equals(userName) ? name : userName;
        commonName = name.equals(commonName) ? name : commonName;
        int bytes = sizeOf(realm, name, userName, tenant, groups, commonName);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("the principal's realm, name, user name, tenant, groups and common name"
                    + " have " + bytes + " bytes together: at most " + MAX_BYTES);
        }
        if (sizeOf(rules) > MAX_RULES_BYTES) {
            throw new IllegalArgumentException(
                    "the principal's own rules have " + sizeOf(rules) + " bytes: at most " + MAX_RULES_BYTES);
        }
    }

    /** A principal without rules of its own. */
    public Principal(
            String realm,
            String name,
            @Nullable String userName,
            @Nullable String tenant,
            List<String> groups,
            @Nullable String commonName) {
        this(realm, name, userName, tenant, groups, commonName, "");
    }

    /** A principal of which nothing but its name is known. */
    public Principal(String realm, String name) {
        this(realm, name, null, null, List.of(), null);
    }

    /**
     * The principal of a client of which only the user name is known: it is the name in the realm {@code ""}.
     *
     * @param userName the user name, null for {@link #ANONYMOUS}
     * @throws IllegalArgumentException when the user name has more than {@link #MAX_BYTES} in UTF-8
     */
    public static Principal ofUser(@Nullable String userName) {
        return userName == null ? ANONYMOUS : new Principal("", userName, userName, null, List.of(), null);
    }

    /** Whether both are the same person or machine, whatever else is known of them. */
    public boolean isSameAs(Principal other) {
        return name.equals(other.name) && realm.equals(other.realm);
    }

    /** Whether this is {@link #BROKER}, whose clients are nobody's: they count nowhere, and no rules are about them. */
    public boolean isBroker() {
        return isSameAs(BROKER);
    }

    private static int sizeOf(
            String realm,
            String name,
            @Nullable String userName,
            @Nullable String tenant,
            List<String> groups,
            @Nullable String commonName) {
        int bytes = sizeOf(realm) + sizeOf(name) + sizeOf(tenant);
        bytes += name.equals(userName) ? 0 : sizeOf(userName);
        bytes += name.equals(commonName) ? 0 : sizeOf(commonName);
        for (String group : groups) {
            bytes += sizeOf(group) + 1;
        }
        return bytes;
    }

    private static int sizeOf(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }
}
