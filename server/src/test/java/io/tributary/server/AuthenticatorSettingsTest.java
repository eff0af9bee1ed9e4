package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.settings.SecurityConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of who may connect, right and wrong. */
class AuthenticatorSettingsTest {
    private static final String OF = "--tributary.security.authenticators.";

    @TempDir
    private Path folder;

    /** Columns: arguments without their beginning, and what is said; FOLDER is where the files are. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            listeners.tcp.authentication=a                                     | tributary.listeners.tcp.authentication: 'a' is not the name of an authenticator; there are none: tributary.security.authenticators
            listeners.tcp.authentication=                                      | tributary.listeners.tcp.authentication: is empty; it must be the names of authenticators, with commas between
            listeners.tcp.authentication=b AUTH.a.kind=x509                    | tributary.listeners.tcp.authentication: 'b' is not the name of an authenticator; there are a
            listeners.tcp.authentication=a,a AUTH.a.kind=x509                  | tributary.listeners.tcp.authentication: 'a,a' names one twice
            security.anonymous=sometimes                                       | tributary.security.anonymous: 'sometimes' is not one of never, loopback, always
            AUTH.a.realm=r                                                     | AUTH.a.kind: is missing; it must be one of x509, jwt, file, http, scram, ldap, store
            AUTH.a.kind=kerberos                                               | AUTH.a.kind: 'kerberos' is not one of x509, jwt, file, http, scram, ldap, store
            AUTH.nobody.kind=x509                                              | AUTH.nobody: 'nobody' stands for clients that no authenticator knows
            AUTH.a.kind=x509 AUTH.a.realm=                                     | AUTH.a.realm: is empty: clients of that realm are those without a name
            AUTH.a.kind=x509 AUTH.a.file=x                                     | AUTH.a.file: has no effect with kind=x509, which has name, pattern, groups
            AUTH.a.kind=x509 AUTH.a.claims.tenant=x                            | AUTH.a.claims: has no effect with kind=x509, which has name, pattern, groups
            AUTH.a.kind=x509 AUTH.a.name=san:ip                                | AUTH.a.name: 'san:ip' is not one of cn, san:dns, san:email, san:uri, subject
            AUTH.a.kind=x509 AUTH.a.pattern=regex:(?P<x>.*)                    | AUTH.a.pattern: 'regex:(?P<x>.*)' has a group x; groups are called name, tenant and group
            AUTH.a.kind=file                                                   | AUTH.a.file: is missing; it must be the file with the users
            AUTH.a.kind=file AUTH.a.file=FOLDER/none                           | AUTH.a.file: 'FOLDER/none' cannot be read: java.nio.file.NoSuchFileException: FOLDER/none
            AUTH.a.kind=file AUTH.a.file=FOLDER/wrong                          | AUTH.a.file: 'FOLDER/wrong', line 1: user alice is not a hash of a password: it must begin with $argon2id$, $2b$ or $7$
            AUTH.a.kind=scram AUTH.a.file=FOLDER/empty                         | AUTH.a.file: 'FOLDER/empty' does not end in .yaml or .yml; only such files have what SCRAM needs
            AUTH.a.kind=jwt                                                    | AUTH.a.keys: is missing; it must be a file with public keys, or the address of a key set; or set secret-file
            AUTH.a.kind=jwt AUTH.a.keys=x AUTH.a.secret-file=y                 | AUTH.a.keys: has no effect with secret-file; set one of them
            AUTH.a.kind=jwt AUTH.a.keys=http://id.example/jwks                 | AUTH.a.keys: 'http://id.example/jwks' must begin with https://, for it is on another machine: only 127.0.0.1, ::1 and localhost may do without TLS
            AUTH.a.kind=jwt AUTH.a.keys=FOLDER/empty                           | AUTH.a.keys: 'FOLDER/empty' has no public key of RSA or of an elliptic curve
            AUTH.a.kind=jwt AUTH.a.secret-file=FOLDER/short                    | AUTH.a.secret-file: the secret has 8 bytes; it must have 32 or more, as openssl rand -hex 32 makes them
            AUTH.a.kind=jwt AUTH.a.secret-file=FOLDER/open                     | AUTH.a.secret-file: 'FOLDER/open' can be read or changed by everybody on this machine; use chmod o= on it
            AUTH.a.kind=http                                                   | AUTH.a.url: is missing; it must be the address of the service
            AUTH.a.kind=http AUTH.a.url=http://10.0.0.1/                       | AUTH.a.url: 'http://10.0.0.1/' must begin with https://, for it is on another machine: only 127.0.0.1, ::1 and localhost may do without TLS
            AUTH.a.kind=http AUTH.a.url=https://x.example/ AUTH.a.certificates=FOLDER/empty | AUTH.a.certificates: 'FOLDER/empty' has no certificate (PEM)
            AUTH.a.kind=ldap AUTH.a.url=http://x                               | AUTH.a.url: must be written ldaps://HOST:PORT or ldap://HOST:PORT, and no more
            AUTH.a.kind=ldap AUTH.a.url=ldap://x.example AUTH.a.bind-template=uid={}     | AUTH.a.url: 'ldap://x.example' would send passwords over the network as they are; write ldaps://, or set start-tls=true
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.start-tls=true | AUTH.a.start-tls: has no effect with ldaps://, which is encrypted at once
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example                      | AUTH.a.bind-template: is missing; it must be a name such as uid={},ou=people,dc=acme, or set search.base
            AUTH.a.kind=x509 AUTH.a.realm=LONG                                 | AUTH.a.realm: the principal's realm, name, user name, tenant, groups and common name have 1025 bytes together: at most 1024
            AUTH.a.kind=x509 AUTH.a.groups=LONG                                | AUTH.a.groups: the principal's realm, name, user name, tenant, groups and common name have 1027 bytes together: at most 1024
            AUTH.a.kind=jwt AUTH.a.keys=https://id.example:65536/              | AUTH.a.keys: 'https://id.example:65536/' has the port 65536; ports are 1 to 65535
            AUTH.a.kind=jwt AUTH.a.keys=https://x.example/ AUTH.a.claims.attributes=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q | AUTH.a.claims.attributes: there are 17 attributes of 17 bytes: at most 16 of 1024
            AUTH.a.kind=jwt AUTH.a.keys=https://x.example/ AUTH.a.claims.attributes=LONG | AUTH.a.claims.attributes: there are 1 attributes of 1025 bytes: at most 16 of 1024
            AUTH.a.kind=http AUTH.a.url=https://x.example:0/                   | AUTH.a.url: 'https://x.example:0/' has the port 0; ports are 1 to 65535
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example:65536 AUTH.a.bind-template=uid={} | AUTH.a.url: 'ldaps://x.example:65536' has the port 65536; ports are 1 to 65535
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.bind-template={},dc=acme | AUTH.a.bind-template: '{},dc=acme' must be the name of an entry, such as uid={},ou=people,dc=acme, or one of those of Active Directory, {}@DOMAIN or DOMAIN\\{}
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.bind-template={}@corp.example AUTH.a.group-search.base=dc=acme | AUTH.a.group-search: has no effect with AUTH.a.bind-template={}@corp.example, which does not say what the user's entry is; use search in place of that
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.bind-template=uid={} AUTH.a.group-search.base=groups | AUTH.a.group-search.base: 'groups' must be the name of an entry, such as ou=people,dc=acme
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.bind-template=uid={} AUTH.a.group-search.base=dc=acme AUTH.a.group-search.filter=(member={} | AUTH.a.group-search.filter: '(member={}' must be a filter of LDAP (RFC 4515), such as (uid={})
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.search.user=cn=x AUTH.a.search.password-file=FOLDER/password AUTH.a.search.base=acme | AUTH.a.search.base: 'acme' must be the name of an entry, such as ou=people,dc=acme
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.search.user=cn=x AUTH.a.search.password-file=FOLDER/password AUTH.a.search.base=dc=acme AUTH.a.search.filter=((uid={}) | AUTH.a.search.filter: '((uid={})' must be a filter of LDAP (RFC 4515), such as (uid={})
            AUTH.a.kind=ldap AUTH.a.url=ldaps://x.example AUTH.a.bind-template=uid=a     | AUTH.a.bind-template: 'uid=a' has no {}, and would be the same for all
            """)
    void wrongSettingStopsTheStart(String arguments, String words) throws Exception {
        Files.writeString(folder.resolve("wrong"), "alice:password\n");
        Files.writeString(folder.resolve("empty"), "");
        secret("password", "secret", "rw-------");
        secret("short", "12345678", "rw-------");
        secret("open", "12345678123456781234567812345678", "rw-r--r--");
        String[] all = Arrays.stream(arguments.split(" ", -1))
                .filter(argument -> !argument.isEmpty())
                .map(argument -> "--tributary." + written(argument.replace("AUTH.", "security.authenticators.")))
                .toArray(String[]::new);
        assertThat(Applications.failure(all))
                .isEqualTo(written(words.replace("AUTH.", "tributary.security.authenticators.")));
    }

    @Test
    void chainsAreReadInTheirOrder(@TempDir Path place) throws Exception {
        Files.writeString(place.resolve("tributary.yaml"), """
                tributary:
                  listeners:
                    tcp: {authentication: [tokens, certificates]}
                  security:
                    anonymous: never
                    authenticators:
                      certificates: {kind: x509, name: "san:uri", pattern: "regex:urn:acme:(?P<name>.+)", realm: devices, groups: [a, b]}
                      tokens: {kind: jwt, keys: "https://id.example/jwks", claims: {tenant: org, groups: roles}}
                """);
        SecurityConfig config = Applications.serverConfig(
                        "--spring.config.additional-location=file:" + place + "/",
                        "--tributary.listeners.ws.authentication=certificates")
                .security();
        assertThat(config.chains())
                .containsEntry("tcp", List.of("tokens", "certificates"))
                .containsEntry("ws", List.of("certificates"));
        assertThat(config.authenticators()).containsOnlyKeys("tokens", "certificates");
        assertThat(String.valueOf(config.authenticators().get("tokens"))).contains("org", "roles");
    }

    @Test
    void listenerThatOthersReachNeedsAuthenticatorsOrAWord() {
        assertThat(start("--tributary.listeners.tcp.host=0.0.0.0"))
                .isEqualTo("tributary.listeners.tcp.host: '0.0.0.0' can be reached by others, and nothing says who may"
                        + " connect; name authenticators in tributary.listeners.tcp.authentication (docs/security.md), or"
                        + " set tributary.security.anonymous=always to let everybody in");
        assertThat(start("--tributary.security.anonymous=never"))
                .contains(
                        "tributary.listeners.tcp.authentication: is missing, and with tributary.security.anonymous=never"
                                + " nobody could connect; name authenticators, or switch the listener off with enabled=false")
                .contains("tributary.listeners.ws.authentication: is missing");
        assertThat(start("--tributary.listeners.tcp.host=127.0.0.2")).isEqualTo("it started");
        assertThat(start(OF + "a.kind=store", "--tributary.listeners.tcp.authentication=a,b", OF + "b.kind=store"))
                .isEqualTo("it started");
    }

    /** As 0.1.0's page for EKS had it for clients that have tokens alone. */
    @Test
    void listenerWithoutCertificatesMayNameAnAuthenticatorOfThemBesideOthers() {
        assertThat(start(OF + "a.kind=x509", OF + "b.kind=store", "--tributary.listeners.tcp.authentication=a,b"))
                .isEqualTo("it started");
    }

    /** Nobody could connect. */
    @Test
    void listenerWithoutCertificatesHasNoAuthenticatorOfThem() {
        String[] settings = {OF + "a.kind=x509", "--tributary.listeners.tcp.authentication=a"};
        assertThat(start(settings))
                .isEqualTo(
                        "tributary.listeners.tcp.authentication: 'a' is of kind=x509, and nobody shows this listener a"
                                + " certificate; set tributary.listeners.tcp.tls.client-certificates to want or need, or, behind"
                                + " proxies that verify them, tributary.listeners.tcp.proxy-protocol.certificate-name=true");
        String[] behindProxies = Stream.concat(
                        Arrays.stream(settings),
                        Stream.of("enabled=true", "trusted=127.0.0.1", "certificate-name=true")
                                .map(setting -> "--tributary.listeners.tcp.proxy-protocol." + setting))
                .toArray(String[]::new);
        assertThat(start(behindProxies)).isEqualTo("it started");
    }

    private String start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(
                "--tributary.data-dir=" + folder.resolve("data"),
                "--tributary.listeners.tcp.port=0",
                "--tributary.listeners.ws.port=0"));
        return Applications.failure(all.toArray(String[]::new));
    }

    private String written(String text) {
        return text.replace("FOLDER", folder.toString()).replace("LONG", "x".repeat(1_025));
    }

    private void secret(String name, String text, String permissions) throws Exception {
        Path file = Files.writeString(folder.resolve(name), text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }
}
