package io.tributary.server.settings;

import org.jspecify.annotations.Nullable;

/**
 * How the groups of a user's entry are found in a directory; a group is an entry that names its members.
 *
 * @param base Where the groups are, with everything below. Without a value, groups are not looked for.
 * @param filter What a group's entry must fulfil, with <code>{}</code> for the name of the user's entry. Without a
 *     value, <code>(member={})</code>.
 * @param attribute The attribute with a group's name. Without a value, {@code cn}.
 */
public record LdapGroupSettings(
        @Nullable String base,
        @Nullable String filter,
        @Nullable String attribute) {

    boolean isGiven() {
        return base != null || filter != null || attribute != null;
    }
}
