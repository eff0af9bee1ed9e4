package io.tributary.security.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.tributary.broker.security.Asker;
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
import io.tributary.security.watch.FileContent;
import io.tributary.security.web.BadServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAuthenticatorTest {
    private static final String YES = "{\"result\": \"accept\", \"name\": \"ann\"}";

    private final AuthenticatorContext context = AuthenticatorContext.create(new SteadyClock());
    private final BadServer server = new BadServer(_ -> YES);
    private volatile String token = "service-token";

    @TempDir
    private Path folder;

    private Link link;

    @BeforeEach
    void open() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), token);
        link = new HttpAuthenticator.Config(
                        URI.create(server.address()), null, new FileContent<>(file, () -> token), "platform")
                .open("service", context);
    }

    @AfterEach
    void close() {
        link.onClose().run();
        server.close();
        context.close();
    }

    @Test
    void questionHasTheClientAndAnswerMayHaveAllOfAPrincipal() throws Exception {
        server.says(200, "X: y", _ -> """
                {"result": "accept", "name": "7", "userName": "ann", "tenant": "acme", "groups": ["a", "b"],
                 "kind": "application", "end": 4000000000, "attributes": {"site": 12}, "unknown": {}}""");
        assertThat(ask("c", "ann", "p\"ss"))
                .isEqualTo(new Accepted(
                        ClientKind.APPLICATION,
                        new Principal("platform", "7", "ann", "acme", List.of("a", "b"), null),
                        Instant.ofEpochSecond(4_000_000_000L),
                        Map.of("site", "12")));
        String request = server.requests().getFirst();
        assertThat(request).startsWith("POST /service ").contains("Authorization: Bearer service-token");
        assertThat(JSONObjectUtils.parse(request.substring(request.indexOf("\r\n\r\n") + 4)))
                .containsAllEntriesOf(Map.of(
                        "clientId", "c",
                        "userName", "ann",
                        "password", "p\"ss",
                        "listener", "tcp",
                        "address", "127.0.0.1:1",
                        "protocol", "MQTT_5"));
        assertThat(link.authenticator().authenticate(client("c", null), new byte[] {(byte) 0xff}))
                .succeedsWithin(Duration.ofSeconds(20));
        assertThat(server.requests().getLast())
                .contains("\"passwordBase64\":\"/w==\"")
                .doesNotContain("userName");
    }

    @Test
    void answerMayHaveRulesOfItsOwn() {
        server.says(200, "X: y", _ -> YES.replace("}", ", \"rules\": [{\"allow\": \"publish\", \"topic\": \"a/#\"}]}"));
        assertThat(ask("c", "ann", "x"))
                .isInstanceOfSatisfying(
                        Accepted.class,
                        yes -> assertThat(yes.principal())
                                .isEqualTo(new Principal("platform", "ann", null, null, List.of(), null, "+p2a a/#")));
    }

    /** The service works: its circuit stays closed, and operators read why. */
    @Test
    void answerWithMoreThanAPrincipalHasIsANo() {
        String realm = "platform";
        String most = "x".repeat(Principal.MAX_BYTES - realm.length());
        server.says(200, "X: y", _ -> YES.replace("ann", most));
        assertThat(ask("c", "ann", "x")).isInstanceOf(Accepted.class);
        List<String> answers = List.of(
                YES.replace("ann", most + "x"),
                "{\"result\": \"accept\", \"name\": \"a\", \"tenant\": \"b/c\"}",
                "{\"result\": \"accept\", \"name\": \"a\", \"tenant\": \"\"}",
                YES.replace("}", ", \"rules\": \"all\"}"),
                YES.replace("}", ", \"rules\": []}"),
                YES.replace("}", ", \"rules\": [{\"allow\": \"publish\"}]}"),
                YES.replace("}", ", \"attributes\": {\"a\": \"" + "x".repeat(1_024) + "\"}}"));
        for (int i = 0; i < 2 * answers.size(); i++) {
            String answer = answers.get(i % answers.size());
            server.says(200, "X: y", _ -> answer);
            assertThat(ask("c", "ann", "x")).isInstanceOfSatisfying(Refused.class, no -> {
                assertThat(no.reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
                assertThat(no.message()).startsWith("the service's answer: ");
            });
        }
    }

    @Test
    void noIsANoAndNotMineIsForTheNext() {
        server.says(200, "X: y", _ -> "{\"result\": \"refuse\"}");
        assertThat(ask("c", "ann", "x")).isInstanceOf(Refused.class);
        server.says(200, "X: y", _ -> "{\"result\": \"not-mine\"}");
        assertThat(ask("c", "ann", "x")).isEqualTo(NotMine.PLAIN);
        server.says(200, "X: y", _ -> YES.replace("}", ", \"end\": 1000000000}"));
        assertThat(ask("c", "ann", "x")).isInstanceOf(Refused.class);
    }

    @Test
    void answerIsKeptAsLongAsItSaysForTheSameCredentialsAlone() {
        server.says(200, "X: y", _ -> YES.replace("}", ", \"cacheSeconds\": 60}"));
        assertThat(ask("c", "ann", "x")).isInstanceOf(Accepted.class);
        assertThat(ask("c", "ann", "x")).isInstanceOf(Accepted.class);
        assertThat(server.requests()).hasSize(1);
        ask("c", "ann", "y");
        ask("d", "ann", "x");
        ask("c", "annx", "");
        assertThat(server.requests()).hasSize(4);
        server.says(200, "X: y", _ -> YES);
        ask("e", "ann", "x");
        ask("e", "ann", "x");
        assertThat(server.requests()).hasSize(6);
    }

    @Test
    void keptAnswerEnds() {
        AtomicLong nanos = new AtomicLong();
        AnswerCache cache = new AnswerCache(2, nanos::get);
        ServiceAnswer answer =
                ServiceAnswer.read(YES.replace("}", ", \"cacheSeconds\": 60}").getBytes(StandardCharsets.UTF_8), "r");
        byte[] first = cache.key(client("a", null), null);
        cache.put(first, answer);
        assertThat(cache.get(first)).isEqualTo(answer);
        cache.put(cache.key(client("b", null), null), answer);
        cache.put(cache.key(client("c", null), null), answer);
        assertThat(cache.get(first)).as("the eldest goes").isNull();
        nanos.addAndGet(Duration.ofSeconds(60).toNanos());
        assertThat(cache.get(cache.key(client("c", null), null))).isNull();
    }

    @ParameterizedTest
    @EnumSource(value = BadServer.Mood.class, names = "ANSWERS", mode = EnumSource.Mode.EXCLUDE)
    void badServiceIsAFailureInTime(BadServer.Mood mood) {
        server.is(mood);
        assertThatThrownBy(() -> ask("c", "ann", "x")).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yes",
                "[]",
                "{}",
                "{\"result\": true}",
                "{\"result\": \"accept\"}",
                "{\"result\": \"accept\", \"name\": 7}",
                "{\"result\": \"accept\", \"name\": \"a\", \"groups\": \"b\"}",
                "{\"result\": \"accept\", \"name\": \"a\", \"groups\": [[\"b\"]]}",
                "{\"result\": \"accept\", \"name\": \"a\", \"kind\": \"robot\"}",
                "{\"result\": \"accept\", \"name\": \"a\", \"end\": \"soon\"}",
                "{\"result\": \"accept\", \"name\": \"a\", \"attributes\": []}"
            })
    void lieIsAFailure(String lie) {
        server.says(200, "X: y", _ -> lie);
        assertThatThrownBy(() -> ask("c", "ann", "x")).hasMessageContaining("the service's answer");
    }

    @Test
    void statusOtherThan200IsAFailure() {
        for (int status : List.of(302, 401, 500)) {
            server.says(status, "Location: " + server.address(), _ -> YES);
            assertThatThrownBy(() -> ask("c", "ann", "x")).hasMessageContaining("status " + status);
        }
    }

    /** What one client sends, odd as it is, must not keep the others out. */
    @Test
    void onlyServiceThatDoesNotWorkIsLeftInPeace() {
        for (int status : List.of(302, 400, 401, 404, 500, 200)) {
            for (int i = 0; i < RequestQueue.FAILURES; i++) {
                server.says(status, "X: y", _ -> "nonsense");
                assertThatThrownBy(() -> ask("c", "ann", "x")).isNotNull();
            }
            server.says(200, "X: y", _ -> YES);
            assertThat(ask("c", "ann", "x")).as("after %s", status).isInstanceOf(Accepted.class);
        }
        server.says(503, "X: y", _ -> YES);
        for (int i = 0; i < RequestQueue.FAILURES; i++) {
            String address = "203.0.113." + i;
            assertThatThrownBy(() -> askFrom(address)).hasMessageContaining("status 503");
        }
        assertThatThrownBy(() -> askFrom("203.0.113.99")).hasMessageContaining("the service is left in peace");
    }

    /** The service works, and says that this client asks too often. */
    @Test
    void tooManyRequestsIsANoForNowAndNoFailureOfTheService() {
        server.says(429, "Retry-After: 60", _ -> YES);
        for (int i = 0; i < 2 * RequestQueue.FAILURES; i++) {
            assertThat(askFrom("203.0.113." + i))
                    .isEqualTo(new Refused(ReasonCode.SERVER_BUSY, "the service answers with status 429"));
        }
        server.says(200, "X: y", _ -> YES);
        assertThat(askFrom("203.0.113.99")).isInstanceOf(Accepted.class);
    }

    @Test
    void tokenIsReadAgainWhenItsFileChanges() throws Exception {
        ask("c", "ann", "x");
        token = "another-token";
        Files.writeString(folder.resolve("token"), token);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            ask("c", "ann", "x");
            return server.requests().getLast().contains("Authorization: Bearer another-token");
        });
    }

    private Result askFrom(String address) {
        return link.authenticator()
                .authenticate(client("c", "ann"), new byte[] {1}, new Asker(address, () -> true))
                .toCompletableFuture()
                .join();
    }

    private Result ask(String clientId, @Nullable String userName, String password) {
        return link.authenticator()
                .authenticate(client(clientId, userName), password.getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
    }

    private static ClientInfo client(String clientId, @Nullable String userName) {
        return new ClientInfo(clientId, userName, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
    }
}
