package io.tributary.security.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.common.setting.InvalidSettingException;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.work.WorkPool;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A directory, and how users and their groups are found in it.
 *
 * @param host where it is
 * @param port its port
 * @param encryption how connections are encrypted
 * @param authorities the file with the authorities to trust; null for those that Java trusts
 * @param users how a user name becomes an entry
 * @param groups how the groups of an entry are found; null for none
 * @param realm what the user names are unique in
 */
public record LdapConfig(
        String host,
        int port,
        Encryption encryption,
        @Nullable Path authorities,
        Users users,
        @Nullable Groups groups,
        String realm)
        implements AuthenticatorConfig {
    /** What stands for the user name, or the entry's name, in templates and filters. */
    public static final String PLACEHOLDER = "{}";

    /** What stands for the user name where a template or a filter is checked. */
    private static final String SAMPLE = "name";

    private static final int AT_ONCE = 16;
    private static final int WAITING = 1_000;

    /** How connections are encrypted. */
    public enum Encryption {
        /** Not at all; for a directory on this machine. */
        NONE,
        /** From the first byte, {@code ldaps}. */
        TLS,
        /** After a request of the client. */
        START_TLS
    }

    /** How a user name becomes an entry. */
    public sealed interface Users {}

    /**
     * The name of the entry follows from the user name.
     *
     * @param name a distinguished name with {@code {}} in it
     */
    public record Template(String name) implements Users {

        /**
         * Checks it.
         *
         * @throws IllegalArgumentException when no name comes out
         */
        public Template {
            if (!isName(name.replace(PLACEHOLDER, SAMPLE))) {
                throw new IllegalArgumentException("'" + name + "' must be the name of an entry, such as"
                        + " uid={},ou=people,dc=acme, or one of those of Active Directory, {}@DOMAIN or DOMAIN\\{}");
            }
        }
    }

    /**
     * The user name becomes a name by which Active Directory lets users bind, and that is no entry's.
     *
     * @param name {@code {}@DOMAIN} or {@code DOMAIN\{}}
     */
    public record LoginName(String name) implements Users {
        private static final Pattern FORM = Pattern.compile("\\{}@[\\w.-]+|[\\w.-]+\\\\\\{}");

        /** Whether this is such a name. */
        public static boolean isOne(String name) {
            return FORM.matcher(name).matches();
        }
    }

    /**
     * The entry is searched for.
     *
     * @param base where, with everything below
     * @param filter what it must fulfil, with {@code {}} in it
     * @param user who searches
     * @param password the password of who searches; asked at each login, on a thread that may block
     */
    public record Search(String base, String filter, String user, Supplier<String> password) implements Users {

        /**
         * Checks where and what is searched.
         *
         * @throws InvalidSettingException when the base is no name, or the filter is none
         */
        public Search {
            checkBase(base);
            checkFilter(filter, SAMPLE);
        }
    }

    /**
     * How groups are found.
     *
     * @param base where, with everything below
     * @param filter what a group's entry must fulfil, with {@code {}} in it for the user's entry
     * @param attribute the attribute with a group's name
     */
    public record Groups(String base, String filter, String attribute) {

        /**
         * Checks where and what is searched.
         *
         * @throws InvalidSettingException when the base is no name, or the filter is none
         */
        public Groups {
            checkBase(base);
            checkFilter(filter, "uid=" + SAMPLE);
        }
    }

    private static void checkBase(String base) {
        if (!isName(base)) {
            throw new InvalidSettingException(
                    "base", "'" + base + "' must be the name of an entry, such as ou=people,dc=acme");
        }
    }

    private static void checkFilter(String filter, String sample) {
        try {
            Filter _ = Filter.create(filter.replace(PLACEHOLDER, Filter.encodeValue(sample)));
        } catch (LDAPException e) {
            throw new InvalidSettingException(
                    "filter", "'" + filter + "' must be a filter of LDAP (RFC 4515), such as (uid={})");
        }
    }

    private static boolean isName(String text) {
        return DN.isValidDN(text);
    }

    @Override
    public Link open(String name, AuthenticatorContext context) {
        WorkPool threads = WorkPool.waiting("tributary-ldap", AT_ONCE, WAITING);
        return new Link(name, new LdapAuthenticator(this, threads), List.of(), threads::close);
    }
}
