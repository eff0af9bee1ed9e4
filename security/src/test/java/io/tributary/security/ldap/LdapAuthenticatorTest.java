package io.tributary.security.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.ldap.LdapConfig.Encryption;
import io.tributary.security.ldap.LdapConfig.Groups;
import io.tributary.security.ldap.LdapConfig.LoginName;
import io.tributary.security.ldap.LdapConfig.Search;
import io.tributary.security.ldap.LdapConfig.Template;
import io.tributary.security.ldap.LdapConfig.Users;
import io.tributary.security.work.WorkPool;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against UnboundID's directory in memory, with and without TLS. */
class LdapAuthenticatorTest {
    private static final Users TEMPLATE = new Template("uid={},ou=people,dc=acme");
    private static final Users SEARCH =
            new Search("ou=people,dc=acme", "(|(uid={})(mail={}))", "cn=broker,dc=acme", () -> "search secret");
    private static final int PATIENCE_SECONDS = 30;
    private static final Groups GROUPS = new Groups("ou=groups,dc=acme", "(member={})", "cn");

    @TempDir
    private static Path folder;

    /** The names that are none of entries and that somebody has bound with. */
    private static final List<String> LOGIN_NAMES = new CopyOnWriteArrayList<>();

    private static InMemoryDirectoryServer server;
    private static Path authority;

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());
    private @Nullable Link open;

    @BeforeAll
    static void startServer() throws Exception {
        X509Bundle root = new CertificateBuilder()
                .subject("CN=authority")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        X509Bundle own = new CertificateBuilder()
                .subject("CN=localhost")
                .addSanDnsName("localhost")
                .buildIssuedBy(root);
        authority = Files.writeString(folder.resolve("authority.pem"), root.getCertificatePEM());
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.toKeyManagerFactory().getKeyManagers(), null, null);
        InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=acme");
        config.setSchema(null);
        config.addAdditionalBindCredentials("cn=broker,dc=acme", "search secret");
        config.addInMemoryOperationInterceptor(new LikeActiveDirectory());
        InetAddress loopback = InetAddress.getByName("localhost");
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("ldap", loopback, 0, tls.getSocketFactory()),
                InMemoryListenerConfig.createLDAPSConfig(
                        "ldaps", loopback, 0, tls.getServerSocketFactory(), tls.getSocketFactory()));
        server = new InMemoryDirectoryServer(config);
        server.startListening();
        server.add("dn: dc=acme", "objectClass: domain", "dc: acme");
        server.add("dn: ou=people,dc=acme", "objectClass: organizationalUnit", "ou: people");
        server.add("dn: ou=groups,dc=acme", "objectClass: organizationalUnit", "ou: groups");
        person("uid=ann,ou=people,dc=acme", "ann", "ann@acme.example", "correct horse");
        person("uid=a\\,b (c)*,ou=people,dc=acme", "a,b (c)*", "odd@acme.example", "odd");
        person("uid=twin1,ou=people,dc=acme", "twin1", "twin@acme.example", "twin");
        person("uid=twin2,ou=people,dc=acme", "twin2", "twin@acme.example", "twin");
        group("operators", "uid=ann,ou=people,dc=acme");
        group("night", "uid=ann,ou=people,dc=acme");
        group("others", "uid=twin1,ou=people,dc=acme");
        group("odd", "uid=a\\,b (c)*,ou=people,dc=acme");
    }

    @AfterAll
    static void stopServer() {
        server.shutDown(true);
    }

    @AfterEach
    void close() {
        if (open != null) {
            open.onClose().run();
        }
        context.close();
    }

    @ParameterizedTest
    @EnumSource(Encryption.class)
    void entryThatCanBindIsTheUserWithItsGroups(Encryption encryption) {
        for (Users users : new Users[] {TEMPLATE, SEARCH}) {
            Link link = open(encryption, users, authority);
            assertThat(ask(link, "ann", "correct horse")).isInstanceOfSatisfying(Accepted.class, yes -> {
                assertThat(Objects.requireNonNull(yes.principal()).realm()).isEqualTo("people");
                assertThat(Objects.requireNonNull(yes.principal()).name()).isEqualTo("uid=ann,ou=people,dc=acme");
                assertThat(Objects.requireNonNull(yes.principal()).userName()).isEqualTo("ann");
                assertThat(Objects.requireNonNull(yes.principal()).groups())
                        .containsExactlyInAnyOrder("operators", "night");
            });
            assertThat(ask(link, "ANN", "correct horse"))
                    .isInstanceOfSatisfying(
                            Accepted.class,
                            yes -> assertThat(Objects.requireNonNull(yes.principal())
                                            .userName())
                                    .isEqualTo("ann"));
            assertThat(ask(link, "ANN", "wrong"))
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.user()).isEqualTo("ann"));
            assertThat(ask(link, "ann", "")).isInstanceOf(Refused.class);
            link.onClose().run();
        }
    }

    @Test
    void searchedUserMayBeUnknownOrSeveral() {
        Link link = open(Encryption.NONE, SEARCH, null);
        assertThat(ask(link, "ann@acme.example", "correct horse")).isInstanceOf(Accepted.class);
        assertThat(ask(link, "twin@acme.example", "twin")).isInstanceOf(Refused.class);
        assertThat(ask(link, "nobody", "x")).isInstanceOfSatisfying(NotMine.class, unknown -> {
            Supplier<CompletionStage<?>> pretence = unknown.pretence();
            assertThat(pretence).isNotNull();
            assertThat(pretence.get().toCompletableFuture().join()).isEqualTo(false);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "ann)(uid=*", "ann,ou=people,dc=acme", "*)(|(uid=*", "ann\\", "an\\6e", "#ann"})
    void metacharactersAreNothingButCharacters(String name) {
        for (Users users : new Users[] {TEMPLATE, SEARCH}) {
            Link link = open(Encryption.NONE, users, null);
            assertThat(ask(link, name, "correct horse")).isNotInstanceOf(Accepted.class);
            assertThat(ask(link, "a,b (c)*", "odd"))
                    .isInstanceOfSatisfying(
                            Accepted.class,
                            yes -> assertThat(Objects.requireNonNull(yes.principal())
                                            .groups())
                                    .containsExactly("odd"));
            link.onClose().run();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Encryption.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void serverOfAnUnknownAuthorityOrAnotherNameIsAFailure(Encryption encryption) throws Exception {
        X509Bundle stranger = new CertificateBuilder()
                .subject("CN=stranger")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        Path other = Files.writeString(folder.resolve("stranger.pem"), stranger.getCertificatePEM());
        assertThatThrownBy(() -> ask(open(encryption, TEMPLATE, other), "ann", "correct horse"))
                .isInstanceOf(CompletionException.class);
        LdapConfig byAddress =
                new LdapConfig("127.0.0.1", port(encryption), encryption, authority, TEMPLATE, null, "people");
        assertThatThrownBy(() -> ask(byAddress.open("directory", context), "ann", "correct horse"))
                .isInstanceOf(CompletionException.class);
    }

    /** The directory works, and a cut list of groups could leave out one that a rule denies something to. */
    @Test
    void userInTooManyGroupsIsRefused() throws Exception {
        person("uid=joiner,ou=people,dc=acme", "joiner", "joiner@acme.example", "secret");
        for (int i = 0; i < 100; i++) {
            group("club" + i, "uid=joiner,ou=people,dc=acme");
        }
        for (Users users : new Users[] {TEMPLATE, SEARCH}) {
            Link link = open(Encryption.NONE, users, null);
            assertThat(ask(link, "joiner", "secret")).isInstanceOf(Accepted.class);
            link.onClose().run();
        }
        group("club100", "uid=joiner,ou=people,dc=acme");
        for (Users users : new Users[] {TEMPLATE, SEARCH}) {
            Link link = open(Encryption.NONE, users, null);
            assertThat(ask(link, "joiner", "secret"))
                    .isInstanceOfSatisfying(
                            Refused.class, no -> assertThat(no.message()).contains("more than 100 groups"));
            assertThat(ask(link, "joiner", "wrong"))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            no -> assertThat(no.reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD));
            link.onClose().run();
        }
    }

    /** A rule may deny by any of them. */
    @Test
    void groupMayHaveSeveralNames() throws Exception {
        person("uid=alias,ou=people,dc=acme", "alias", "alias@acme.example", "secret");
        group("staff", "uid=alias,ou=people,dc=acme");
        server.modify("dn: cn=staff,ou=groups,dc=acme", "changetype: modify", "add: cn", "cn: suspended");
        Link link = open(Encryption.NONE, TEMPLATE, null);
        assertThat(ask(link, "alias", "secret"))
                .isInstanceOfSatisfying(
                        Accepted.class,
                        yes -> assertThat(
                                        Objects.requireNonNull(yes.principal()).groups())
                                .containsExactlyInAnyOrder("staff", "suspended"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}@corp.example", "CORP\\{}"})
    void nameOfActiveDirectoryIsBoundWithAsItIs(String template) {
        LOGIN_NAMES.clear();
        LdapConfig config = new LdapConfig(
                "localhost", port(Encryption.NONE), Encryption.NONE, null, new LoginName(template), null, "people");
        open = config.open("directory", context);
        for (String name : List.of("ann", "ANN")) {
            assertThat(ask(open, name, "correct horse"))
                    .isInstanceOfSatisfying(
                            Accepted.class,
                            yes -> assertThat(yes.principal())
                                    .isEqualTo(new Principal("people", "ann", "ann", null, List.of(), null)));
        }
        assertThat(ask(open, "ann", "wrong"))
                .isInstanceOfSatisfying(
                        Refused.class, no -> assertThat(no.reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD));
        assertThat(LOGIN_NAMES)
                .containsExactly(
                        template.replace("{}", "ann"), template.replace("{}", "ANN"), template.replace("{}", "ann"));
        for (String odd : List.of("CORP\\ann", "ann@corp.example", "ann,ou=people", "\u00e4nn", "an n", "ann\0")) {
            assertThat(ask(open, odd, "correct horse")).isInstanceOf(Refused.class);
        }
        assertThat(LOGIN_NAMES).as("the others were not asked for").hasSize(3);
    }

    @Test
    void directoryThatHangsOrIsNotThereIsAFailureInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            LdapConfig config =
                    new LdapConfig("127.0.0.1", silent.getLocalPort(), Encryption.NONE, null, TEMPLATE, null, "people");
            Link link = config.open("directory", context);
            open = link;
            assertThatThrownBy(() -> ask(link, "ann", "correct horse"))
                    .hasMessageContaining("directory cannot be used")
                    .hasMessageNotContaining("correct horse");
        }
        LdapConfig gone = new LdapConfig("127.0.0.1", 1, Encryption.NONE, null, TEMPLATE, null, "people");
        assertThatThrownBy(() -> ask(gone.open("directory", context), "ann", "x"))
                .hasMessageContaining("directory cannot be used");
        Users wrongSearcher = new Search("dc=acme", "(uid={})", "cn=broker,dc=acme", () -> "not the secret");
        assertThatThrownBy(() -> ask(open(Encryption.NONE, wrongSearcher, null), "ann", "correct horse"))
                .hasMessageContaining("directory cannot be used");
    }

    /** More logins than may be under way at once: the last ones get a place. */
    @ParameterizedTest
    @EnumSource(Encryption.class)
    void directoryThatIsSilentFailsEachLogin(Encryption encryption) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            LdapConfig config =
                    new LdapConfig("127.0.0.1", silent.getLocalPort(), encryption, authority, TEMPLATE, null, "people");
            Link link = config.open("directory", context);
            open = link;
            List<CompletableFuture<Result>> logins = Stream.generate(
                            () -> ask(link.authenticator(), "ann", "correct horse", "127.0.0.1")
                                    .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .limit(17)
                    .toList();
            assertThat(logins)
                    .allSatisfy(
                            login -> assertThatThrownBy(login::join).hasMessageContaining("directory cannot be used"));
        }
    }

    @Test
    void addressThatGuessesKeepsNobodyElseOut() {
        LdapConfig config = config(Encryption.NONE, TEMPLATE, null);
        CompletableFuture<Boolean> held = new CompletableFuture<>();
        try (WorkPool threads = WorkPool.waiting("test", 1, 2)) {
            LdapAuthenticator directory = new LdapAuthenticator(config, threads);
            CompletionStage<Boolean> _ = threads.submit(held::join);
            List<CompletableFuture<Result>> guesses = Stream.of("a", "b", "c")
                    .map(guess -> ask(directory, "ann", guess, "203.0.113.1"))
                    .toList();
            CompletableFuture<Result> honest = ask(directory, "ann", "correct horse", "203.0.113.2");
            assertThat(guesses.subList(1, 3)).allSatisfy(guess -> assertRefused(guess, ReasonCode.SERVER_BUSY));
            held.complete(true);
            assertThat(honest.join()).isInstanceOf(Accepted.class);
            assertRefused(guesses.getFirst(), ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        }
    }

    private static void assertRefused(CompletableFuture<Result> answer, ReasonCode reason) {
        assertThat(answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join())
                .isInstanceOfSatisfying(
                        Refused.class, no -> assertThat(no.reason()).isEqualTo(reason));
    }

    private Link open(Encryption encryption, Users users, @Nullable Path trusted) {
        Link link = config(encryption, users, trusted).open("directory", context);
        open = link;
        return link;
    }

    private static LdapConfig config(Encryption encryption, Users users, @Nullable Path trusted) {
        return new LdapConfig("localhost", port(encryption), encryption, trusted, users, GROUPS, "people");
    }

    private static int port(Encryption encryption) {
        return server.getListenPort(encryption == Encryption.TLS ? "ldaps" : "ldap");
    }

    private static Result ask(Link link, String name, String password) {
        return ask(link.authenticator(), name, password, "127.0.0.1").join();
    }

    private static CompletableFuture<Result> ask(
            Authenticator authenticator, String name, String password, String address) {
        ClientInfo client = new ClientInfo("c", name, ProtocolVersion.MQTT_5, address + ":1", "tcp");
        return authenticator
                .authenticate(client, password.getBytes(StandardCharsets.UTF_8), new Asker(address, () -> true))
                .toCompletableFuture();
    }

    /** Takes names of users for those of their entries. */
    private static final class LikeActiveDirectory extends InMemoryOperationInterceptor {
        @Override
        public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest bind) {
            SimpleBindRequest request = bind.getRequest();
            String name = request.getBindDN();
            if (name.endsWith("@corp.example") || name.startsWith("CORP\\")) {
                LOGIN_NAMES.add(name);
                String user = name.replace("@corp.example", "").replace("CORP\\", "");
                bind.setRequest(new SimpleBindRequest(
                        "uid=" + user + ",ou=people,dc=acme",
                        Objects.requireNonNull(request.getPassword()).getValue()));
            }
        }
    }

    private static void person(String entry, String uid, String mail, String password) throws Exception {
        server.add(
                "dn: " + entry,
                "objectClass: inetOrgPerson",
                "uid: " + uid,
                "cn: " + uid,
                "sn: x",
                "mail: " + mail,
                "userPassword: " + password);
    }

    private static void group(String name, String member) throws Exception {
        server.add(
                "dn: cn=" + name + ",ou=groups,dc=acme",
                "objectClass: groupOfNames",
                "cn: " + name,
                "member: " + member);
    }
}
