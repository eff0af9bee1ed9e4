package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.ldap.LdapConfig;
import io.tributary.security.ldap.LdapConfig.Encryption;
import io.tributary.security.ldap.LdapConfig.Groups;
import io.tributary.security.ldap.LdapConfig.LoginName;
import io.tributary.security.ldap.LdapConfig.Search;
import io.tributary.security.ldap.LdapConfig.Template;
import io.tributary.security.ldap.LdapConfig.Users;
import io.tributary.security.web.WebClient;
import io.tributary.server.settings.check.SecretFile;
import io.tributary.server.settings.check.SettingException;
import java.net.URI;
import java.util.function.Supplier;
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
    private static final int MOST_PORT = 65_535;

    /** The authenticator's configuration, with what its files have. */
    AuthenticatorConfig config(String realm) {
        URI url = url();
        Encryption encryption = encryption(url);
        int port = url.getPort() > 0 ? url.getPort() : encryption == Encryption.TLS ? TLS_PORT : PORT;
        return new LdapConfig(
                url.getHost(),
                port,
                encryption,
                AuthenticatorFiles.authorities(group, settings.certificates()),
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
        if (url.getPort() == 0 || url.getPort() > MOST_PORT) {
            throw new SettingException(name, "'" + url + "' has the port " + url.getPort() + "; ports are 1 to 65535");
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
            return ofTemplate(group + ".bind-template", withPlace(group + ".bind-template", template));
        }
        String passwordFile = required(group + ".search.password-file", search.passwordFile());
        String base = required(group + ".search.base", search.base());
        String filter = withPlace(group + ".search.filter", search.filter() == null ? "(uid={})" : search.filter());
        String user = required(group + ".search.user", search.user());
        Supplier<String> password = SecretFile.changing(group + ".search.password-file", passwordFile);
        return SettingException.naming(group + ".search", () -> new Search(base, filter, user, password));
    }

    private Users ofTemplate(String name, String template) {
        if (!LoginName.isOne(template)) {
            return SettingException.naming(name, () -> new Template(template));
        }
        if (settings.groupSearch().isGiven()) {
            throw new SettingException(
                    group + ".group-search",
                    "has no effect with " + name + "=" + template
                            + ", which does not say what the user's entry is; use search in place of that");
        }
        return new LoginName(template);
    }

    private @Nullable Groups groups() {
        LdapGroupSettings groups = settings.groupSearch();
        if (!groups.isGiven()) {
            return null;
        }
        String base = required(group + ".group-search.base", groups.base());
        String filter =
                withPlace(group + ".group-search.filter", groups.filter() == null ? "(member={})" : groups.filter());
        String attribute = groups.attribute() == null ? "cn" : groups.attribute();
        return SettingException.naming(group + ".group-search", () -> new Groups(base, filter, attribute));
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
