package io.tributary.security.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.Authenticator.Result;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.password.PasswordHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users of files as tools write them. */
class FileAuthenticatorTest {
    private static final ClientInfo ANYBODY = client(null);

    @TempDir
    private Path folder;

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());
    private @Nullable Link open;

    @AfterEach
    void close() {
        if (open != null) {
            open.onClose().run();
        }
        context.close();
    }

    @Test
    void passwordFileOfMosquittoTellsRightFromWrong() throws Exception {
        Path file = folder.resolve("passwd");
        mosquittoPasswd("-c", "-b", file.toString(), "alice", "correct horse");
        mosquittoPasswd("-b", file.toString(), "bob", "b:o$b");
        Link users = open(file);
        assertThat(ask(users, "alice", "correct horse")).isEqualTo(accepted("alice"));
        assertThat(ask(users, "bob", "b:o$b")).isEqualTo(accepted("bob"));
        assertThat(ask(users, "alice", "b:o$b")).isEqualTo(wrong());
        assertThat(ask(users, "alice", "")).isEqualTo(wrong());
        assertThat(ask(users, "Alice", "correct horse")).isInstanceOf(NotMine.class);
        assertThat(ask(users, "alice", "correct horse")).isEqualTo(accepted("alice")); // remembered
        assertThat(ask(users, "alice", "wrong")).isEqualTo(wrong());
    }

    @Test
    void yamlSaysAllThatAPrincipalHas() throws Exception {
        String token = "2f8a1c0de9b74455a1f60e6b3d1f0c9a7be2345d6c7890ab1234567890abcdef";
        Path file = Files.writeString(
                folder.resolve("users.yaml"), """
                users:
                  alice:
                    password: "%s"
                    groups: [operators, night]
                    tenant: acme
                    kind: application
                    attributes: {site: 7}
                    rules: [{allow: publish, topic: "up/${clientid}", max-qos: 1, retain: no}]
                  meter:
                    tokens: ["%s"]
                """.formatted(argon2id("correct horse"), sha256(token)));
        Link users = open(file);
        assertThat(ask(users, "alice", "correct horse"))
                .isEqualTo(new Accepted(
                        ClientKind.APPLICATION,
                        new Principal(
                                "people",
                                "alice",
                                "alice",
                                "acme",
                                List.of("operators", "night"),
                                null,
                                "+p1n up/${clientid}"),
                        null,
                        Map.of("site", "7")));
        assertThat(ask(users, "alice", "wrong")).isEqualTo(wrong());
        assertThat(ask(users, "meter", token)).isEqualTo(accepted("meter"));
        assertThat(ask(users, "meter", token.replace('2', '3')))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.message())
                                .isEqualTo(
                                        "the user has no password, and this is none of its tokens: if that is a device token,"
                                                + " it was deleted, is past its end, or is another user's"));
        assertThat(ask(users, "alice", token))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.message()).startsWith("wrong password: if that is a device token, it was"));
    }

    @Test
    void clientWithoutUserNameOrPasswordIsLeftToOthers() throws Exception {
        Link users = open(Files.writeString(folder.resolve("passwd"), "alice:" + argon2id("x") + "\n"));
        assertThat(users.authenticator()
                        .authenticate(ANYBODY, new byte[1])
                        .toCompletableFuture()
                        .join())
                .isEqualTo(NotMine.PLAIN);
        assertThat(users.authenticator()
                        .authenticate(client("alice"), null)
                        .toCompletableFuture()
                        .join())
                .isEqualTo(NotMine.PLAIN);
    }

    @Test
    void fileIsReadAgainWhenItChangesAndNotWhenItIsWrong() throws Exception {
        Path first = Files.writeString(folder.resolve("first"), "alice:" + argon2id("old") + "\n");
        Path second = Files.writeString(folder.resolve("second"), "alice:" + argon2id("new") + "\n");
        Path link = Files.createSymbolicLink(folder.resolve("passwd"), first);
        Link users = open(link);
        assertThat(ask(users, "alice", "old")).isEqualTo(accepted("alice"));

        Files.delete(link);
        Files.createSymbolicLink(link, second);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ask(users, "alice", "new").equals(accepted("alice")));
        assertThat(ask(users, "alice", "old")).isEqualTo(wrong()); // what was remembered is forgotten

        Files.writeString(second, "alice:nonsense\nbob:" + argon2id("b") + "\n");
        Path third = Files.writeString(folder.resolve("third"), "carol:" + argon2id("c") + "\n");
        assertThat(ask(users, "alice", "new")).isEqualTo(accepted("alice"));
        Files.delete(link);
        Files.createSymbolicLink(link, third);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ask(users, "carol", "c").equals(accepted("carol")));
    }

    /** Columns: what is in the file, and what is said of it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            passwd     | alice                                | line 1 is not written NAME:HASH
            passwd     | alice:topsecret                      | line 1: user alice is not a hash of a password: it must begin with $argon2id$, $2b$ or $7$
            passwd     | alice:$7$0$c2FsdA==$aGFzaA==         | line 1: user alice must have 1 to 1000000 iterations and a hash of 32 to 64 bytes
            passwd     | alice:$6$topsecret$topsecret         | line 1: user alice is a plain SHA-512 of an old Mosquitto, which is too fast to be safe; set the password again with mosquitto_passwd of version 2
            users.yaml | users: [a]                           | users must be a map
            users.yaml | users: {a: {passwort: topsecret}}    | user a: there is no 'passwort'; there are attributes, groups, kind, password, rules, scram, tenant, tokens
            users.yaml | users: {a: {password: topsecret}}    | user a: password is not a hash of a password: it must begin with $argon2id$, $2b$ or $7$
            users.yaml | users: {a: {tokens: [topsecret]}}    | user a: each of tokens must be a SHA-256, as 64 hexadecimal digits
            users.yaml | users: {a: {rules: [{allow: all}]}}     | user a: rules[0] must have a topic
            users.yaml | users: {a: {kind: robot}}            | user a: kind 'robot' is not one of device, application, small-application
            users.yaml | users: {a: {tenant: b/c}}            | user a: the tenant must have 1 to 64 bytes in UTF-8, without /, +, # and control characters
            users.yaml | 'users: {a: {password: "topsecret}}' | line 1, column 35 is not YAML that can be read here
            """)
    void wrongFileIsRefusedInWordsThatShowNoSecret(String name, String content, String words) throws Exception {
        Path file = Files.writeString(folder.resolve(name), content);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> UserFile.read(file))
                .satisfies(
                        e -> assertThat(e).message().doesNotContain("topsecret").startsWith("'" + file + "', "))
                .withMessageEndingWith(words);
    }

    private Link open(Path file) {
        Link opened = new FileAuthenticator.Config(file, "people").open("users", context);
        open = opened;
        return opened;
    }

    private static Result ask(Link users, String name, String password) {
        return users.authenticator()
                .authenticate(client(name), PasswordHash.utf8(password))
                .toCompletableFuture()
                .join();
    }

    private static Accepted accepted(String name) {
        return new Accepted(null, new Principal("people", name, name, null, List.of(), null), null, Map.of());
    }

    private static Refused wrong() {
        return new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password");
    }

    private static String argon2id(String password) {
        return PasswordHash.Argon2id.of(PasswordHash.utf8(password), PasswordHash.utf8("0123456789abcdef"))
                .toString();
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(PasswordHash.utf8(text)));
    }

    private static ClientInfo client(@Nullable String userName) {
        return new ClientInfo("c", userName, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    }

    private static void mosquittoPasswd(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("mosquitto_passwd"));
        command.addAll(List.of(arguments));
        Process tool;
        try {
            tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException absent) {
            assumeTrue(false, "no mosquitto_passwd: apt-get install mosquitto");
            return;
        }
        assertThat(tool.waitFor())
                .as(new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isZero();
    }
}
