package io.tributary.security.file;

import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.security.password.PasswordHash;
import io.tributary.security.password.ScramCredential;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A user in a file.
 *
 * @param name the user name
 * @param password the hash of the password, null when the user has none
 * @param tokens the SHA-256 of each secret that a device of the user may bring in place of the password
 * @param scram what SCRAM needs, by the name of the mechanism
 * @param groups the groups that it is in
 * @param tenant the customer or department that it belongs to, null for none
 * @param kind what its clients are; null to leave that to the rules
 * @param attributes what else is known of it
 * @param rules rules of its own, as {@link io.tributary.broker.security.rules.OwnRules} writes them; empty for none
 */
public record User(
        String name,
        @Nullable PasswordHash password,
        List<byte[]> tokens,
        Map<String, ScramCredential> scram,
        List<String> groups,
        @Nullable String tenant,
        @Nullable ClientKind kind,
        Map<String, String> attributes,
        String rules) {
    /** Copies the collections. */
    public User {
        tokens = List.copyOf(tokens);
        scram = Map.copyOf(scram);
        groups = List.copyOf(groups);
        attributes = Map.copyOf(attributes);
    }

    /** A user with nothing but a password. */
    User(String name, PasswordHash password) {
        this(name, password, List.of(), Map.of(), List.of(), null, null, Map.of(), "");
    }

    /** Whether one of the tokens has this SHA-256. */
    boolean hasToken(byte[] sha256) {
        boolean found = false;
        for (byte[] token : tokens) {
            found |= MessageDigest.isEqual(token, sha256);
        }
        return found;
    }

    /** Who the user is. */
    public Principal principal(String realm) {
        return new Principal(realm, name, name, tenant, groups, null, rules);
    }

    /** Its name alone: what it has is nobody's business. */
    @Override
    public String toString() {
        return "user " + name;
    }
}
