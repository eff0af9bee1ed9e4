package io.tributary.server.settings;

import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.Principal;
import io.tributary.security.AuthenticatorConfig;
import io.tributary.security.file.FileAuthenticator;
import io.tributary.security.file.UserFile;
import io.tributary.security.scram.ScramAuthenticator;
import io.tributary.security.store.StoreAuthenticator;
import io.tributary.security.x509.CertificateName;
import io.tributary.security.x509.X509Authenticator;
import io.tributary.server.settings.check.SettingException;
import io.tributary.server.settings.check.Units;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One way to find out who a client is, under a name of your own. Which settings an authenticator has depends on its
 * kind; [security.md](security.md#who-may-connect) has an example of each.
 *
 * @param kind What it asks; must be given. {@code x509}: the client's TLS certificate. {@code jwt}: a signed token.
 *     {@code file}: users and their passwords in a file. {@code http}: a service of yours. {@code scram}: users in a
 *     file, by enhanced authentication. {@code ldap}: a directory.
 *     {@code store}: users and device tokens that the broker keeps.
 * @param realm What the names of its clients are unique in. Without a value, the name of the authenticator: two
 *     authenticators mean the same client by the same name only if their realm is set alike.
 * @param name Of {@code x509}: where in the certificate the name is: {@code cn}, {@code subject}, {@code san:dns},
 *     {@code san:uri} or {@code san:email}. Without a value, {@code cn}.
 * @param pattern Of {@code x509}: what the name must match, as in {@code tributary.applications.rules}. The groups
 *     {@code (?P<name>...)}, {@code (?P<tenant>...)} and {@code (?P<group>...)} of a {@code regex:} say what is what.
 * @param groups Of {@code x509}: the groups of all its clients.
 * @param file Of {@code file} and {@code scram}: the file with the users; one that ends in {@code .yaml} or
 *     {@code .yml} is YAML, any other is as {@code mosquitto_passwd} writes it. Read again when it changes.
 * @param keys Of {@code jwt}: the public keys; a file of public keys or certificates (PEM) or with a key set (JWKS),
 *     read again when it changes, or the address of a key set, with {@code https://}.
 * @param secretFile Of {@code jwt}, in place of keys: the file with the secret that both sides have, one line of 32
 *     bytes or more. Of {@code http}: the file with the token that the broker shows to the service. Others must not be
 *     able to read the file. Read again when it changes.
 * @param issuer Of {@code jwt}: what the claim {@code iss} must be; tokens of others are left to the next
 *     authenticator.
 * @param audience Of {@code jwt}: what must be in the claim {@code aud}.
 * @param userProperty Of {@code jwt}: the user property of CONNECT with the token. Without a value, the password is it.
 * @param url Of {@code http}: the address of the service. Of {@code ldap}: {@code ldaps://HOST:PORT} or
 *     {@code ldap://HOST:PORT}. What is not on this machine must be encrypted.
 * @param certificates Of {@code jwt}, {@code http} and {@code ldap}: the file with the certificates (PEM) of the
 *     authorities to trust, read again at a new connection when it has changed; without a value, those that
 *     Java trusts.
 * @param startTls Of {@code ldap} with {@code ldap://}: whether the connection is encrypted once it is there.
 * @param bindTemplate Of {@code ldap}: the name of a user's entry, with <code>{}</code> for the user name, such as
 *     <code>uid={},ou=people,dc=acme</code>; or a name that Active Directory takes in its place,
 *     <code>{}@DOMAIN</code> or <code>DOMAIN\{}</code>.
 * @param claims of {@code jwt}: which claims say what
 * @param search of {@code ldap}, in place of bind-template: how a user's entry is searched for
 * @param groupSearch of {@code ldap}: how the groups of a user's entry are found
 */
public record AuthenticatorSettings(
        @Nullable Kind kind,
        @Nullable String realm,
        @Nullable String name,
        @Nullable String pattern,
        @Nullable List<String> groups,
        @Nullable String file,
        @Nullable String keys,
        @Nullable String secretFile,
        @Nullable String issuer,
        @Nullable String audience,
        @Nullable String userProperty,
        @Nullable String url,
        @Nullable String certificates,
        @Nullable Boolean startTls,
        @Nullable String bindTemplate,
        @DefaultValue ClaimSettings claims,
        @DefaultValue LdapSearchSettings search,
        @DefaultValue LdapGroupSettings groupSearch) {
    private static final Map<String, CertificateName> PLACES = new TreeMap<>(Map.of(
            "cn", CertificateName.COMMON_NAME,
            "subject", CertificateName.SUBJECT,
            "san:dns", CertificateName.DNS,
            "san:uri", CertificateName.URI,
            "san:email", CertificateName.EMAIL));

    /** What an authenticator asks. */
    public enum Kind {
        /** The client's TLS certificate. */
        X509("name", "pattern", "groups"),
        /** A JSON Web Token. */
        JWT("keys", "secret-file", "issuer", "audience", "user-property", "certificates", "claims"),
        /** Users in a file. */
        FILE("file"),
        /** A service that is asked over HTTP. */
        HTTP("url", "secret-file", "certificates"),
        /** Users in a file, by a proof of their password. */
        SCRAM("file"),
        /** A directory. */
        LDAP("url", "certificates", "start-tls", "bind-template", "search", "group-search"),
        /** Users that the broker keeps. */
        STORE();

        private final String settings;

        Kind(String... settings) {
            this.settings = String.join(", ", settings);
        }

        private List<String> settings() {
            return List.of(settings.split(", ", -1));
        }
    }

    /**
     * What the settings say.
     *
     * @param group the name of all of them
     * @param authenticator the authenticator's name
     * @throws SettingException when they are not those of the kind, or are wrong
     */
    AuthenticatorConfig config(String group, String authenticator) {
        if (kind == null) {
            throw new SettingException(group + ".kind", "is missing; it must be one of " + Units.choices(Kind.class));
        }
        if (realm != null && realm.isEmpty()) {
            throw new SettingException(group + ".realm", "is empty: clients of that realm are those without a name");
        }
        String in = realm == null ? authenticator : realm;
        refuseOthers(group, kind);
        Principal _ = SettingException.naming(group + ".realm", () -> new Principal(in, ""));
        return switch (kind) {
            case X509 -> x509(group, in);
            case JWT -> new JwtSettingsCheck(group, this).config(in);
            case FILE -> new FileAuthenticator.Config(userFile(group), in);
            case HTTP -> new HttpSettingsCheck(group, this).config(in);
            case SCRAM -> new ScramAuthenticator.Config(yamlFile(group), in);
            case LDAP -> new LdapSettingsCheck(group, this).config(in);
            case STORE -> store(group, in);
        };
    }

    private static AuthenticatorConfig store(String group, String in) {
        if (in.chars().anyMatch(c -> c == ':' || c == '/' || c == '\\')) {
            throw new SettingException(
                    group + ".realm", "'" + in + "' has a colon or a slash; users of kind=store have realms without");
        }
        return new StoreAuthenticator.Config(in);
    }

    private AuthenticatorConfig x509(String group, String in) {
        CertificateName place = PLACES.get(name == null ? "cn" : name);
        if (place == null) {
            throw new SettingException(
                    group + ".name", "'" + name + "' is not one of " + String.join(", ", PLACES.keySet()));
        }
        List<String> ofAll = groups == null ? List.of() : groups;
        Principal _ = SettingException.naming(group + ".groups", () -> new Principal(in, "", null, null, ofAll, null));
        TextPattern parsed =
                pattern == null ? null : SettingException.naming(group + ".pattern", () -> TextPattern.of(pattern));
        return SettingException.naming(
                group + ".pattern", () -> new X509Authenticator.Config(place, parsed, ofAll, in));
    }

    private Path userFile(String group) {
        if (file == null) {
            throw new SettingException(group + ".file", "is missing; it must be the file with the users");
        }
        return SettingException.naming(group + ".file", () -> {
            Path path = Path.of(file).toAbsolutePath();
            Map<String, ?> _ = UserFile.read(path);
            return path;
        });
    }

    private Path yamlFile(String group) {
        Path path = userFile(group);
        String text = path.toString();
        if (!text.endsWith(".yaml") && !text.endsWith(".yml")) {
            throw new SettingException(
                    group + ".file",
                    "'" + file + "' does not end in .yaml or .yml; only such files have what SCRAM needs");
        }
        return path;
    }

    private void refuseOthers(String group, Kind own) {
        Map<String, @Nullable Object> given = new LinkedHashMap<>();
        given.put("name", name);
        given.put("pattern", pattern);
        given.put("groups", groups);
        given.put("file", file);
        given.put("keys", keys);
        given.put("secret-file", secretFile);
        given.put("issuer", issuer);
        given.put("audience", audience);
        given.put("user-property", userProperty);
        given.put("url", url);
        given.put("certificates", certificates);
        given.put("start-tls", startTls);
        given.put("bind-template", bindTemplate);
        given.put("search", search.isGiven() ? "" : null);
        given.put("group-search", groupSearch.isGiven() ? "" : null);
        given.put("claims", claims.isGiven() ? "" : null);
        given.forEach((key, value) -> {
            if (value != null && !own.settings().contains(key)) {
                throw new SettingException(
                        group + "." + key,
                        "has no effect with kind=" + Units.text(own) + ", which has "
                                + (own.settings.isEmpty() ? "nothing but realm" : own.settings));
            }
        });
    }
}
