package io.tributary.security.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.ldap.LdapConfig.Encryption;
import io.tributary.security.ldap.LdapConfig.Groups;
import io.tributary.security.ldap.LdapConfig.Search;
import io.tributary.security.ldap.LdapConfig.Template;
import io.tributary.security.ldap.LdapConfig.Users;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against OpenLDAP's server, where it is installed (Debian: slapd). */
class SlapdTest {
    private static final Path SLAPD = Path.of("/usr/sbin/slapd");
    private static final Path SLAPADD = Path.of("/usr/sbin/slapadd");

    @TempDir
    private Path folder;

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void usersOfOpenLdapGetInWithTheirGroupsUntilTheServerIsGone() throws Exception {
        assumeTrue(Files.isExecutable(SLAPD) && Files.isExecutable(SLAPADD), "no slapd: apt-get install slapd");
        int port = freePort();
        Process server = start(port);
        try {
            for (Users users : List.of(
                    new Template("uid={},dc=acme"),
                    new Search("dc=acme", "(uid={})", "cn=admin,dc=acme", () -> "root secret"))) {
                Link link = open(port, users);
                assertThat(ask(link, "ANN", "correct horse")).isInstanceOfSatisfying(Accepted.class, yes -> {
                    assertThat(Objects.requireNonNull(yes.principal()).name()).isEqualTo("uid=ann,dc=acme");
                    assertThat(Objects.requireNonNull(yes.principal()).groups()).containsExactly("operators");
                });
                assertThat(ask(link, "\uFF41nn", "correct horse"))
                        .as("a wide letter")
                        .isInstanceOfSatisfying(
                                Accepted.class,
                                yes -> assertThat(Objects.requireNonNull(yes.principal())
                                                .name())
                                        .isEqualTo("uid=ann,dc=acme"));
                assertThat(ask(link, "ann", "wrong")).isInstanceOf(Refused.class);
                assertThat(ask(link, "*", "correct horse")).isNotInstanceOf(Accepted.class);
                link.onClose().run();
            }
            Link searching = open(port, new Search("dc=acme", "(uid={})", "cn=admin,dc=acme", () -> "root secret"));
            assertThat(ask(searching, "bob", "correct horse")).isInstanceOf(NotMine.class);
            server.destroy();
            server.waitFor();
            assertThatThrownBy(() -> ask(searching, "ann", "correct horse"))
                    .hasMessageContaining("the directory cannot be used");
            searching.onClose().run();
        } finally {
            server.destroyForcibly();
        }
    }

    private Process start(int port) throws Exception {
        Path database = Files.createDirectory(folder.resolve("database"));
        Path config = Files.writeString(folder.resolve("slapd.conf"), """
                include /etc/ldap/schema/core.schema
                include /etc/ldap/schema/cosine.schema
                include /etc/ldap/schema/inetorgperson.schema
                modulepath /usr/lib/ldap
                moduleload back_mdb
                pidfile %1$s/pid
                database mdb
                suffix "dc=acme"
                rootdn "cn=admin,dc=acme"
                rootpw "root secret"
                directory %2$s
                """.formatted(folder, database));
        Path entries = Files.writeString(folder.resolve("entries.ldif"), """
                dn: dc=acme
                objectClass: domain
                dc: acme

                dn: uid=ann,dc=acme
                objectClass: inetOrgPerson
                uid: ann
                cn: Ann
                sn: A
                userPassword: correct horse

                dn: cn=operators,dc=acme
                objectClass: groupOfNames
                cn: operators
                member: uid=ann,dc=acme
                """);
        Process filled = new ProcessBuilder(SLAPADD.toString(), "-f", config.toString(), "-l", entries.toString())
                .inheritIO()
                .start();
        assertThat(filled.waitFor()).isZero();
        Process server = new ProcessBuilder(
                        SLAPD.toString(), "-f", config.toString(), "-h", "ldap://127.0.0.1:" + port, "-d", "0")
                .inheritIO()
                .start();
        await().until(() -> isThere(port) || !server.isAlive());
        return server;
    }

    private Link open(int port, Users users) {
        Groups groups = new Groups("dc=acme", "(member={})", "cn");
        return new LdapConfig("127.0.0.1", port, Encryption.NONE, null, users, groups, "people")
                .open("directory", context);
    }

    private static Result ask(Link link, String name, String password) {
        return link.authenticator()
                .authenticate(
                        new ClientInfo("c", name, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp"),
                        password.getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
    }

    private static boolean isThere(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
