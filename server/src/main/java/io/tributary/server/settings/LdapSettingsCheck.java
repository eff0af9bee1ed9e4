package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.ldap.LdapConfig;
import io.tributary.security.ldap.LdapConfig.Encryption;
import io.tributary.security.ldap.LdapConfig.Groups;
import io.tributary.security.ldap.LdapConfig.Search;
import io.tributary.security.ldap.LdapConfig.Template;
import io.tributary.security.ldap.LdapConfig.Users;
import io.tributary.security.web.WebClient;
import io.tributary.server.settings.check.SecretFile;
import io.tributary.server.settings.check.SettingException;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of an authenticator that is a directory.
 *
 * @param group the name of all of them
 * @param settings the settings
 */
record LdapSettingsCheck(String group, AuthenticatorSettings settings) {
    private static final int PORT = 389;
    private static final int TLS_PORT = 636;

    /** What they say, with the password that was read. */
    AuthenticatorConfig config(String realm) {
        URI url = url();
        Encryption encryption = encryption(url);
        int port = url.getPort() > 0 ? url.getPort() : encryption == Encryption.TLS ? TLS_PORT : PORT;
        return new LdapConfig(
                url.getHost(),
                port,
                encryption,
                JwtSettingsCheck.authorities(group, settings.certificates()),
                users(),
                groups(),
                realm);
    }

    private URI url() {
        String text = settings.url();
        String name = group + ".url";
        if (text == null) {
            throw new SettingException(name, "is missing; it must be written ldaps://HOST:PORT or ldap://HOST:PORT");
        }
        URI url = SettingException.naming(name, () -> URI.create(text));
        boolean right = url.getScheme() != null && url.getScheme().matches("(?i)ldaps?") && url.getHost() != null;
        boolean more = url.getUserInfo() != null
                || url.getQuery() != null
                || !String.valueOf(url.getPath()).matches("/?");
        if (!right || more) {
            throw new SettingException(name, "must be written ldaps://HOST:PORT or ldap://HOST:PORT, and no more");
        }
        return url;
    }

    private Encryption encryption(URI url) {
        boolean startTls = Boolean.TRUE.equals(settings.startTls());
        if (url.getScheme().equalsIgnoreCase("ldaps")) {
            if (startTls) {
                throw new SettingException(
                        group + ".start-tls", "has no effect with ldaps://, which is encrypted at once");
            }
            return Encryption.TLS;
        }
        if (!startTls && !WebClient.isThisMachine(url.getHost())) {
            throw new SettingException(
                    group + ".url",
                    "'" + url
                            + "' would send passwords over the network as they are; write ldaps://, or set start-tls=true");
        }
        return startTls ? Encryption.START_TLS : Encryption.NONE;
    }

    private Users users() {
        LdapSearchSettings search = settings.search();
        String template = settings.bindTemplate();
        if ((template == null) == !search.isGiven()) {
            throw new SettingException(
                    group + ".bind-template",
                    template == null
                            ? "is missing; it must be a name such as uid={},ou=people,dc=acme, or set search.base"
                            : "has no effect with search; set one of them");
        }
        if (template != null) {
            return new Template(withPlace(group + ".bind-template", template));
        }
        String passwordFile = required(group + ".search.password-file", search.passwordFile());
        return new Search(
                required(group + ".search.base", search.base()),
                withPlace(group + ".search.filter", search.filter() == null ? "(uid={})" : search.filter()),
                required(group + ".search.user", search.user()),
                SecretFile.changing(group + ".search.password-file", passwordFile));
    }

    private @Nullable Groups groups() {
        LdapGroupSettings groups = settings.groupSearch();
        if (!groups.isGiven()) {
            return null;
        }
        return new Groups(
                required(group + ".group-search.base", groups.base()),
                withPlace(group + ".group-search.filter", groups.filter() == null ? "(member={})" : groups.filter()),
                groups.attribute() == null ? "cn" : groups.attribute());
    }

    private static String required(String name, @Nullable String value) {
        if (value == null) {
            throw new SettingException(name, "is missing");
        }
        return value;
    }

    private static String withPlace(String name, String value) {
        if (!value.contains(LdapConfig.PLACEHOLDER)) {
            throw new SettingException(name, "'" + value + "' has no {}, and would be the same for all");
        }
        return value;
    }
}
