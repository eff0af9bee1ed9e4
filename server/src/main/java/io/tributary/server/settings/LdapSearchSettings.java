package io.tributary.server.settings;

import org.jspecify.annotations.Nullable;

/**
 * How a user's entry is searched for in a directory.
 *
 * @param base Where, with everything below.
 * @param filter What the entry must fulfil, with <code>{}</code> for the user name. Without a value,
 *     <code>(uid={})</code>.
 * @param user The entry that searches.
 * @param passwordFile The file with its password, which others must not be able to read. It is read again at each
 *     login.
 */
public record LdapSearchSettings(
        @Nullable String base,
        @Nullable String filter,
        @Nullable String user,
        @Nullable String passwordFile) {

    boolean isGiven() {
        return base != null || filter != null || user != null || passwordFile != null;
    }
}
