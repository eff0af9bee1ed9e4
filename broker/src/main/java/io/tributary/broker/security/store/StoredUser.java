package io.tributary.broker.security.store;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A user.
 *
 * @param realm what the name is unique in: that of the authenticator that asks for it
 * @param name the user name
 * @param serial a number that nobody chooses: device tokens name it, so that those of a user who was deleted are not
 *     those of the next one with the name
 * @param passwordHash the slow hash of the password, as {@code $argon2id$...}; null when the user has none
 * @param groups the groups that it is in
 * @param tenant the customer or department that it belongs to, null for none
 * @param kind what its clients are; null to leave that to the rules
 * @param attributes what else is known of it
 * @param disabled whether it may not connect
 * @param expires when it may not connect any more, null for never
 */
public record StoredUser(
        String realm,
        String name,
        long serial,
        @Nullable String passwordHash,
        List<String> groups,
        @Nullable String tenant,
        @Nullable ClientKind kind,
        Map<String, String> attributes,
        boolean disabled,
        @Nullable Instant expires)
        implements SecurityObject {
    private static final char SEPARATOR = ':';
    private static final int MOST_GROUPS = 100;

    /** Copies the collections. */
    public StoredUser {
        SecurityObject.checkName("the realm", realm);
        SecurityObject.checkName("the name", name);
        if (realm.indexOf(SEPARATOR) >= 0) {
            throw new IllegalArgumentException("the realm must not have a colon");
        }
        SecurityObject.checkText("the hash", passwordHash, MOST_TEXT_BYTES);
        SecurityObject.checkTexts("groups", groups, MOST_GROUPS, MOST_NAME_BYTES);
        groups = List.copyOf(groups);
        attributes = new Accepted(kind, new Principal(realm, name, name, tenant, groups, null), expires, attributes)
                .attributes();
    }

    /** The id of a user. */
    public static String idOf(String realm, String name) {
        return realm + SEPARATOR + name;
    }

    @Override
    public String id() {
        return idOf(realm, name);
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.USERS;
    }

    /** Who it is. */
    public Principal principal() {
        return new Principal(realm, name, name, tenant, groups, null);
    }

    /** Whether it may connect at a time. */
    public boolean mayConnectAt(Instant now) {
        return !disabled && (expires == null || now.isBefore(expires));
    }

    /** Its id alone: what it has is nobody's business. */
    @Override
    public String toString() {
        return "user " + id();
    }
}
