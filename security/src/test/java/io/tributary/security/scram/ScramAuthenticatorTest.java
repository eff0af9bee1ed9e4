package io.tributary.security.scram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.StringPreparation;
import com.ongres.scram.common.exception.ScramInvalidServerSignatureException;
import com.ongres.scram.common.exception.ScramParseException;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.AuthenticatorChain.Link;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.EnhancedAuthenticator.Continue;
import io.tributary.broker.security.EnhancedAuthenticator.Exchange;
import io.tributary.broker.security.EnhancedAuthenticator.Failure;
import io.tributary.broker.security.EnhancedAuthenticator.Step;
import io.tributary.broker.security.EnhancedAuthenticator.Success;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.time.SteadyClock;
import io.tributary.security.AuthenticatorContext;
import io.tributary.security.file.WatchedUsers;
import io.tributary.security.password.ScramCredential.Mechanism;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The example of RFC 7677, and a client that others wrote. */
class ScramAuthenticatorTest {
    private static final ClientInfo CLIENT = new ClientInfo("c", null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");

    /** Of the password "pencil"; the first has the salt of RFC 7677. Made by Python's hashlib. */
    private static final String USERS = """
            users:
              user:
                groups: [writers]
                scram:
                  - "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
                  - "SCRAM-SHA-512$5000:MDEyMzQ1Njc4OWFiY2RlZg==$27dspe93acY/ecLNXIMRt//dNeJn4AjBfmcqKrzA3FcMn2XJbP/EaxxOL7OMYr87YejRFaBZra27F/mwOKMVlQ==:VAWm1P2Z0HfvKH4ByGLSF4uhaxPagxrqTBXLYj6Ju+d/N/pwKqMv+8Wn2OozyLIjm24uh2bnHj8gf24Zn57JzQ=="
              IX: {scram: ["SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="]}
              "a,b=c": {scram: ["SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=", "SCRAM-SHA-512$5000:MDEyMzQ1Njc4OWFiY2RlZg==$27dspe93acY/ecLNXIMRt//dNeJn4AjBfmcqKrzA3FcMn2XJbP/EaxxOL7OMYr87YejRFaBZra27F/mwOKMVlQ==:VAWm1P2Z0HfvKH4ByGLSF4uhaxPagxrqTBXLYj6Ju+d/N/pwKqMv+8Wn2OozyLIjm24uh2bnHj8gf24Zn57JzQ=="]}
            """;

    @TempDir
    private Path folder;

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());
    private Path file;
    private Link link;

    @BeforeEach
    void open() throws Exception {
        file = Files.writeString(folder.resolve("users.yaml"), USERS);
        link = new ScramAuthenticator.Config(file, "people").open("scram", context);
    }

    @AfterEach
    void close() {
        link.onClose().run();
        context.close();
    }

    @Test
    void exampleOfTheRfcIsAnsweredWordForWord() {
        try (WatchedUsers users = new WatchedUsers("scram", file)) {
            ScramAuthenticator authenticator =
                    new ScramAuthenticator(Mechanism.SHA_256, "people", users, () -> "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0");
            Exchange exchange = authenticator.begin(CLIENT);
            assertThat(text(step(exchange, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO")))
                    .isEqualTo(
                            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
            assertThat(text(step(
                            exchange,
                            "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                                    + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")))
                    .isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        }
    }

    @ParameterizedTest
    @EnumSource(Mechanism.class)
    void clientOfOthersAndServerProveThatTheyKnowThePassword(Mechanism mechanism) throws Exception {
        for (String name : List.of("user", "a,b=c", "us\u00ader")) { // a soft hyphen is nothing to SASLprep
            ScramClient client = client(mechanism, name, "pencil");
            Step last = exchange(mechanism, client);
            assertThat(client.serverFinalMessage(text(last))).isNotNull();
            assertThat(Objects.requireNonNull(((Success) last).accepted().principal())
                            .name())
                    .isEqualTo(name.replace("\u00ad", ""));
        }
        Step last = exchange(mechanism, client(mechanism, "user", "pencil"));
        assertThat(((Success) last).accepted().principal())
                .isEqualTo(new Principal("people", "user", "user", null, List.of("writers"), null));
        ScramClient other = client(mechanism, "user", "pencil");
        exchange(mechanism, other);
        assertThatThrownBy(() -> other.serverFinalMessage("v=" + "A".repeat(43) + "="))
                .isInstanceOf(ScramInvalidServerSignatureException.class);
    }

    @ParameterizedTest
    @CsvSource({"us\u00ader, pencils", "user, ''", "nobody, pencil", "User, pencil"})
    void wrongPasswordAndUnknownUserFailAlikeAtTheEnd(String name, String password) {
        Step last = exchange(Mechanism.SHA_256, client(Mechanism.SHA_256, name, password.isEmpty() ? "x" : password));
        assertThat(last)
                .isEqualTo(new Failure(
                        ReasonCode.NOT_AUTHORIZED, "a wrong password, or an unknown user", name.replace("\u00ad", "")));
    }

    @Test
    void userWithoutTheMechanismAndUnknownOnesGetTheSameSaltEachTime() {
        assertThat(exchange(Mechanism.SHA_512, client(Mechanism.SHA_512, "IX", "pencil")))
                .isInstanceOf(Failure.class);
        String first = text(step(method(Mechanism.SHA_256).begin(CLIENT), "n,,n=nobody,r=abc"));
        String second = text(step(method(Mechanism.SHA_256).begin(CLIENT), "n,,n=nobody,r=abc"));
        assertThat(salt(first)).isEqualTo(salt(second));
        assertThat(first).isNotEqualTo(second);
    }

    /** As of a user: else two nodes, or a restart, would tell which names are users'. */
    @Test
    void unknownUserGetsTheSameSaltAtEachNodeAndAnotherWithOtherUsers() throws Exception {
        String salt = salt(first(link, Mechanism.SHA_256, "nobody"));
        Link elsewhere = new ScramAuthenticator.Config(file, "people").open("scram", context);
        try {
            assertThat(salt(first(elsewhere, Mechanism.SHA_256, "nobody"))).isEqualTo(salt);
        } finally {
            elsewhere.onClose().run();
        }
        Path others = Files.writeString(folder.resolve("others.yaml"), USERS.replace("wfPLwcE6", "wfPLwcE7"));
        Link stranger = new ScramAuthenticator.Config(others, "people").open("scram", context);
        try {
            assertThat(salt(first(stranger, Mechanism.SHA_256, "nobody"))).isNotEqualTo(salt);
        } finally {
            stranger.onClose().run();
        }
    }

    /** Users without the mechanism, such as IX, say nothing about how often those with it have hashed. */
    @Test
    void unknownUserHasAsManyIterationsAsUsersOfTheMechanism() {
        for (int i = 0; i < 20; i++) {
            assertThat(first(link, Mechanism.SHA_512, "nobody" + i)).endsWith(",i=5000");
        }
    }

    /** Of names that somebody has nothing changes. */
    @Test
    void oneUserMoreBetweenTheFirstAndTheLastChangesWhatIsShownOfFewUnknownOnes() throws Exception {
        String some = usersOf(5000, 6000, 5000, 6000, 5000, 6000, 5000, 6000, 5000, 6000);
        Link before = new ScramAuthenticator.Config(Files.writeString(folder.resolve("some.yaml"), some), "people")
                .open("scram", context);
        String more = some.replace("  u9:", "  u8a: " + user(5000) + "  u9:");
        Link after = new ScramAuthenticator.Config(Files.writeString(folder.resolve("more.yaml"), more), "people")
                .open("scram", context);
        try {
            int changed = 0;
            for (int i = 0; i < 200; i++) {
                String salt = salt(first(before, Mechanism.SHA_512, "nobody" + i));
                changed += salt.equals(salt(first(after, Mechanism.SHA_512, "nobody" + i))) ? 0 : 1;
            }
            assertThat(changed).isLessThan(200 / 10);
        } finally {
            before.onClose().run();
            after.onClose().run();
        }
    }

    private static String usersOf(int... iterations) {
        StringBuilder users = new StringBuilder("users:\n");
        for (int i = 0; i < iterations.length; i++) {
            users.append("  u").append(i).append(": ").append(user(iterations[i]));
        }
        return users.toString();
    }

    private static String user(int iterations) {
        return "{scram: [\"SCRAM-SHA-512$" + iterations
                + ":MDEyMzQ1Njc4OWFiY2RlZg==$27dspe93acY/ecLNXIMRt//dNeJn4AjBfmcqKrzA3FcMn2XJbP/EaxxOL7OMYr87YejRFaBZra27F/mwOKMVlQ==:VAWm1P2Z0HfvKH4ByGLSF4uhaxPagxrqTBXLYj6Ju+d/N/pwKqMv+8Wn2OozyLIjm24uh2bnHj8gf24Zn57JzQ==\"]}\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "n",
                "n,,",
                "n=user,r=abc",
                "p=tls-unique,,n=user,r=abc",
                "n,a=other,n=user,r=abc",
                "n,,n=us=er,r=abc",
                "n,,n=us\u0007er,r=abc",
                "n,,n=\u00ad,r=abc",
                "n,,m=ext,n=user,r=abc",
                "n,,n=user,r=",
                "x,,n=user,r=abc"
            })
    void malformedFirstMessageIsRefused(String message) {
        assertThat(step(method(Mechanism.SHA_256).begin(CLIENT), message)).isInstanceOf(Failure.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "c=biws,r=abc,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "c=eSws,r=NONCE,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "c=biws,r=NONCE,p=AAAA",
                "c=biws,r=NONCE,p=%%%%",
                "c=biws,r=NONCE"
            })
    void malformedLastMessageIsRefused(String message) {
        Exchange exchange = method(Mechanism.SHA_256).begin(CLIENT);
        String nonce = text(step(exchange, "n,,n=user,r=abc")).substring(2).split(",", -1)[0];
        assertThat(step(exchange, message.replace("NONCE", nonce))).isInstanceOf(Failure.class);
    }

    /** On a thread with little room, as one that is deep in other calls has. */
    @Test
    void lastMessageOfManyExtensionsTakesNoStack() throws Exception {
        Exchange exchange = method(Mechanism.SHA_256).begin(CLIENT);
        String nonce = text(step(exchange, "n,,n=user,r=abc")).substring(2).split(",", -1)[0];
        String few = "c=biws,r=" + nonce;
        String message = few + ",a=".repeat((4_096 - few.length() - 10) / 3) + ",p=AAAA";
        FutureTask<Step> last = new FutureTask<>(() -> step(exchange, message));
        Thread thread = new Thread(null, last, "little-stack", 192 * 1_024);
        thread.start();
        assertThat(last.get(20, TimeUnit.SECONDS)).isInstanceOf(Failure.class);
    }

    /** Whether there is such a user, and whether the proof is right, does not show. */
    @ParameterizedTest
    @CsvSource({"user, Continue", "us\u00ader, Continue", "IX, Failure", "nobody, Failure"})
    void whoAuthenticatesAgainAsAnotherUserIsRefusedBeforeTheProof(String name, String answer) {
        Principal user = new Principal("people", "user", "user", null, List.of("writers"), null);
        ClientInfo known = CLIENT.accepted("c", ClientKind.DEVICE, user, new Accepted(null, user));
        Step first = step(method(Mechanism.SHA_256).begin(known), "n,,n=" + name + ",r=abc");
        assertThat(first.getClass().getSimpleName()).isEqualTo(answer);
        if (first instanceof Failure no) {
            assertThat(no)
                    .isEqualTo(new Failure(
                            ReasonCode.NOT_AUTHORIZED, "a client that authenticates again as another user"));
        }
    }

    private Step exchange(Mechanism mechanism, ScramClient client) {
        Exchange exchange = method(mechanism).begin(CLIENT);
        try {
            client.serverFirstMessage(
                    text(step(exchange, client.clientFirstMessage().toString())));
        } catch (ScramParseException e) {
            throw new IllegalStateException(e);
        }
        return step(exchange, client.clientFinalMessage().toString());
    }

    /** What the server answers first. */
    private String first(Link at, Mechanism mechanism, String name) {
        return text(step(method(at, mechanism).begin(CLIENT), "n,,n=" + name + ",r=abc"));
    }

    private EnhancedAuthenticator method(Mechanism mechanism) {
        return method(link, mechanism);
    }

    private static EnhancedAuthenticator method(Link at, Mechanism mechanism) {
        return at.methods().stream()
                .filter(method -> method.method().equals(mechanism.method()))
                .findFirst()
                .orElseThrow();
    }

    private static ScramClient client(Mechanism mechanism, String name, String password) {
        return ScramClient.builder()
                .advertisedMechanisms(List.of(mechanism.method()))
                .username(name)
                .password(password.toCharArray())
                .stringPreparation(StringPreparation.POSTGRESQL_PREPARATION)
                .build();
    }

    private static Step step(Exchange exchange, String message) {
        return exchange.next(message.getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
    }

    private static String text(Step step) {
        byte @Nullable [] data = switch (step) {
            case Continue more -> more.data();
            case Success yes -> yes.data();
            case Failure no -> throw new AssertionError(no.message());
        };
        return new String(Objects.requireNonNull(data), StandardCharsets.UTF_8);
    }

    private static String salt(String message) {
        return message.substring(message.indexOf(",s="));
    }
}
