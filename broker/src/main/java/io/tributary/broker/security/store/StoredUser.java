package io.tributary.broker.security.store;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.rules.OwnRules;
import io.tributary.broker.security.rules.Rule;
import io.tributary.common.digest.Sha256;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * @param rules rules of its own, 100 of 8 KiB together at most; none for none
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
        @Nullable Instant expires,
        List<StoredRuleSet.Line> rules)
        implements SecurityObject {
    private static final char SEPARATOR = ':';
    private static final String ARGON2ID = "$argon2id$"; // $argon2id$v=19$m=...,t=...,p=...$SALT$HASH
    private static final int ARGON2ID_PARTS = 6;
    private static final int SALT_PART = 4;
    private static final int SALT_BYTES = 16;
    private static final int MOST_GROUPS = 100;
    private static final int MOST_RULES = 100;
    private static final int MOST_RULE_BYTES = 8 * 1_024;

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
        rules = List.copyOf(rules);
        checkRules(rules);
    }

    /** A user without rules of its own. */
    public StoredUser(
            String realm,
            String name,
            long serial,
            @Nullable String passwordHash,
            List<String> groups,
            @Nullable String tenant,
            @Nullable ClientKind kind,
            Map<String, String> attributes,
            boolean disabled,
            @Nullable Instant expires) {
        this(realm, name, serial, passwordHash, groups, tenant, kind, attributes, disabled, expires, List.of());
    }

    private static void checkRules(List<StoredRuleSet.Line> rules) {
        long bytes = rules.stream()
                .mapToLong(rule -> rule.topic().getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (rules.size() > MOST_RULES || bytes > MOST_RULE_BYTES) {
            throw new IllegalArgumentException("there are " + rules.size() + " rules with topics of " + bytes
                    + " bytes; a user has at most " + MOST_RULES + " of " + MOST_RULE_BYTES);
        }
        rules.forEach(StoredRuleSet.Line::rule);
    }

    /** The id of a user. */
    public static String idOf(String realm, String name) {
        return realm + SEPARATOR + name;
    }

    /** Whether a new user may have the id: a longer one, as earlier versions allowed, no device token can name. */
    static boolean canBeNew(String id) {
        return id.getBytes(StandardCharsets.UTF_8).length <= MOST_NAME_BYTES;
    }

    @Override
    public String id() {
        return idOf(realm, name);
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.USERS;
    }

    /** Who it is. Its own rules stay here, where each node finds them as they are at the moment. */
    public Principal principal() {
        return new Principal(realm, name, name, tenant, groups, null, rules.isEmpty() ? "" : OwnRules.KEPT);
    }

    /**
     * The salt of a hash that is put in the place of another one of the same password. So each node can tell that the
     * password has not changed.
     */
    public static byte[] saltInPlaceOf(String hash) {
        return Arrays.copyOf(Sha256.of(hash.getBytes(StandardCharsets.UTF_8)), SALT_BYTES);
    }

    /** Whether an earlier version of the user had the same password, as far as hashes tell. */
    public boolean hasPasswordOf(StoredUser before) {
        if (Objects.equals(passwordHash, before.passwordHash)) {
            return true;
        }
        if (passwordHash == null || before.passwordHash == null) {
            return false;
        }
        String salt = Base64.getEncoder().withoutPadding().encodeToString(saltInPlaceOf(before.passwordHash));
        String[] parts = passwordHash.split("\\$", -1);
        return passwordHash.startsWith(ARGON2ID) && parts.length == ARGON2ID_PARTS && parts[SALT_PART].equals(salt);
    }

    /** The rules of its own. */
    List<Rule> ownRules() {
        return rules.stream().map(StoredRuleSet.Line::rule).toList();
    }

    /** The same user with another hash of the password. */
    public StoredUser withPasswordHash(String hash) {
        return new StoredUser(realm, name, serial, hash, groups, tenant, kind, attributes, disabled, expires, rules);
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
