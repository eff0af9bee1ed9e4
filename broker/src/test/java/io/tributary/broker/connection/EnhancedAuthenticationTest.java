package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.guard.AutomaticBan;
import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EnhancedAuthenticationTest {
    private static final Subscribe SUBSCRIBE = new Subscribe(
            8, List.of(new Subscription("a", QoS.AT_MOST_ONCE, false, false, RetainHandling.SEND)), 0, List.of());

    private final ConnectionFixture fixture = new ConnectionFixture();
    private final Scripted scripted = new Scripted();

    @BeforeEach
    void addMethod() {
        fixture.methods.put("SCRIPT", scripted);
    }

    @Test // [MQTT-4.12.0-1]
    void refusesWhenMethodIsUnknown() {
        assertThat(fixture.connect(Connects.v5().method("OTHER")).reason())
                .isEqualTo(ReasonCode.BAD_AUTHENTICATION_METHOD);
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test // [MQTT-4.12.0-2, MQTT-4.12.0-3, MQTT-4.12.0-5]
    void exchangesAuthPacketsUntilClientIsKnown() {
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(utf8("challenge"))));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(utf8("proof"))));

        fixture.send(Connects.v5().method("SCRIPT").build());
        Auth challenge = fixture.sink.takeOnly(Auth.class);
        assertThat(challenge.reason()).isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
        assertThat(challenge.authenticationMethod()).isEqualTo("SCRIPT");
        assertThat(challenge.authenticationData()).isEqualTo(utf8("challenge"));
        assertThat(fixture.connection().mayRead()).isTrue();
        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));

        Connack connack = fixture.sink.takeOnly(Connack.class);
        assertThat(connack.reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(connack.properties().authenticationMethod()).isEqualTo("SCRIPT");
        assertThat(connack.properties().authenticationData()).isEqualTo(utf8("proof"));
        assertThat(scripted.taken).containsExactly("null", "data");
    }

    @Test
    void isWhatMethodSaysAndStaysSoWhenItAuthenticatesAgain() {
        scripted.answers.add(
                done(new EnhancedAuthenticator.Success(null, new Authenticator.Accepted(ClientKind.APPLICATION))));
        scripted.answers.add(
                done(new EnhancedAuthenticator.Success(null, new Authenticator.Accepted(ClientKind.DEVICE))));

        fixture.connect(Connects.v5().method("SCRIPT"));
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        fixture.connection().connectionLost();

        assertThat(fixture.clients)
                .extracting(ClientInfo::kind)
                .containsExactly(ClientKind.APPLICATION, ClientKind.APPLICATION);
    }

    /** It may be their key for the connection. */
    @Test
    void listenersGetOneObjectThoughOtherThingsAreKnownOfTheClientMeanwhile() {
        scripted.answers.add(done(ofSite("7")));
        scripted.answers.add(done(ofSite("8")));
        List<ClientInfo> asking = new ArrayList<>();
        fixture.interceptor = (client, subscription) -> {
            asking.add(client);
            return new SubscribeInterceptor.Refuse(ReasonCode.NOT_AUTHORIZED);
        };

        fixture.connect(Connects.v5().method("SCRIPT"));
        fixture.send(SUBSCRIBE);
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        fixture.send(SUBSCRIBE);
        fixture.connection().connectionLost();

        assertThat(fixture.clients).hasSize(2);
        assertThat(fixture.clients.getFirst()).isSameAs(fixture.clients.getLast());
        assertThat(asking).extracting(client -> client.attributes().get("site")).containsExactly("7", "8");
        assertThat(asking.getFirst()).isSameAs(fixture.clients.getFirst());
    }

    private static EnhancedAuthenticator.Success ofSite(String site) {
        return new EnhancedAuthenticator.Success(
                null, new Authenticator.Accepted(ClientKind.DEVICE, null, null, Map.of("site", site)));
    }

    @Test // [MQTT-4.12.0-6]
    void tellsNoMethodWhenClientHasNone() {
        assertThat(fixture.connect(Connects.v5()).properties().authenticationMethod())
                .isNull();
    }

    @Test
    void refusesWhenExchangeFails() {
        scripted.answers.add(done(new EnhancedAuthenticator.Failure(ReasonCode.NOT_AUTHORIZED, null)));

        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    /** Else who is wrong as one user could have another one banned. */
    @Test
    void failureCountsForTheUserOfTheExchangeAndNotForTheUserNameInConnect() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        fixture.guard = ConnectionFixture.guard(ConnectionFixture.ONCE, BanLimit.NONE);
        scripted.answers.add(done(new EnhancedAuthenticator.Failure(ReasonCode.NOT_AUTHORIZED, null, "ann")));
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        assertThat(fixture.guard.bans()).extracting(AutomaticBan::who).containsExactly("ann");
    }

    @Test
    void failureOfAnExchangeWithoutAUserCountsForNone() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        fixture.guard = ConnectionFixture.guard(ConnectionFixture.ONCE, BanLimit.NONE);
        scripted.answers.add(done(new EnhancedAuthenticator.Failure(ReasonCode.NOT_AUTHORIZED, null)));
        fixture.connect(Connects.v5().method("SCRIPT"));
        assertThat(fixture.guard.bans()).isEmpty();
    }

    @Test
    void refusesWhenStageOfExchangeFails() {
        scripted.answers.add(CompletableFuture.failedFuture(new IllegalStateException("down")));

        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void refusesWhenExchangeThrows() {
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test // [MQTT-3.1.2-30]
    void refusesWhenOtherPacketComesDuringExchange() {
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        fixture.send(Connects.v5().method("SCRIPT").build());
        fixture.sink.take();

        fixture.send(new Pingreq());

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test // [MQTT-4.12.0-5]
    void refusesWhenMethodChangesDuringExchange() {
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        fixture.send(Connects.v5().method("SCRIPT").build());
        fixture.sink.take();

        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "OTHER"));

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void closesWithoutWordWhenClientDisconnectsDuringExchange() {
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        fixture.send(Connects.v5().method("SCRIPT").build());
        fixture.sink.take();

        fixture.send(new Disconnect(ReasonCode.SUCCESS, -1, null, null, List.of()));

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void takesNoPacketsWhileExchangeThinks() {
        CompletableFuture<EnhancedAuthenticator.Step> thinking = new CompletableFuture<>();
        scripted.answers.add(thinking);
        fixture.send(Connects.v5().method("SCRIPT").build());
        assertThat(fixture.connection().mayRead()).isFalse();

        thinking.complete(new EnhancedAuthenticator.Success(null));
        fixture.turn();

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void disconnectsWhenClientAuthenticatesAgainAsSomebodyElse() {
        scripted.answers.add(done(new EnhancedAuthenticator.Success(
                null, new Authenticator.Accepted(null, new Principal("r", "alice")))));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(
                null, new Authenticator.Accepted(null, new Principal("r", "alice", "al", null, List.of(), null)))));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(
                null, new Authenticator.Accepted(null, new Principal("other", "alice")))));

        fixture.connect(Connects.v5().method("SCRIPT"));
        assertThat(fixture.backend.attaches.getLast().principal()).isEqualTo(new Principal("r", "alice"));
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        assertThat(fixture.sink.takeOnly(Auth.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test // [MQTT-4.12.1-1]
    void authenticatesAgainWhileOtherPacketsGoOn() {
        connect();
        CompletableFuture<EnhancedAuthenticator.Step> thinking = new CompletableFuture<>();
        scripted.answers.add(thinking);

        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        fixture.send(new Pingreq());
        fixture.sink.takeOnly(Pingresp.class);
        thinking.complete(new EnhancedAuthenticator.Success(utf8("again")));

        Auth done = fixture.sink.takeOnly(Auth.class);
        assertThat(done.reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(done.authenticationData()).isEqualTo(utf8("again"));
    }

    /** It may have the client's subscriptions written. */
    @Test
    void authenticatesAgainOnlyOnceItsClientIsWithinItsRate() {
        scripted.answers.add(done(new EnhancedAuthenticator.Success(null)));
        fixture.connect(Connects.v5().durable().method("SCRIPT"));
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(null)));
        fixture.backend.subscribeWaitNanos = Duration.ofMillis(250).toNanos();
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        assertThat(fixture.sink.take(Auth.class)).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.subscribeWaitNanos = 0;
        fixture.pass(Duration.ofMillis(250));
        assertThat(fixture.sink.takeOnly(Auth.class).reason()).isEqualTo(ReasonCode.CONTINUE_AUTHENTICATION);
        assertThat(fixture.connection().mayRead()).isTrue();
        fixture.backend.subscribeWaitNanos = 1;
        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));
        assertThat(fixture.sink.takeOnly(Auth.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void authenticatesAgainInSeveralSteps() {
        connect();
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(null)));
        scripted.answers.add(done(new EnhancedAuthenticator.Success(null)));

        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));

        assertThat(fixture.sink.take(Auth.class))
                .extracting(Auth::reason)
                .containsExactly(ReasonCode.CONTINUE_AUTHENTICATION, ReasonCode.SUCCESS, ReasonCode.SUCCESS);
    }

    @Test // [MQTT-4.12.1-2]
    void disconnectsWhenClientFailsToAuthenticateAgain() {
        connect();
        scripted.answers.add(done(new EnhancedAuthenticator.Failure(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "no")));

        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test
    void failuresToAuthenticateAgainCountAsThoseInConnectDo() {
        InetAddress address = InetAddress.ofLiteral("203.0.113.1");
        Guard guard =
                ConnectionFixture.guard(BanLimit.NONE, new BanLimit(3, Duration.ofMinutes(1), Duration.ofMinutes(1)));
        for (int i = 0; i < 3; i++) {
            assertThat(guard.arrives(address)).isNull();
            ConnectionFixture guessing = new ConnectionFixture();
            guessing.address = address;
            guessing.guard = guard;
            Scripted method = new Scripted();
            guessing.methods.put("SCRIPT", method);
            method.answers.add(done(new EnhancedAuthenticator.Success(null)));
            method.answers.add(done(new EnhancedAuthenticator.Failure(ReasonCode.NOT_AUTHORIZED, "no", "admin")));
            guessing.connect(Connects.v5().method("SCRIPT"));
            guessing.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
            assertThat(guessing.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        assertThat(guard.arrives(address)).isEqualTo(ReasonCode.BANNED);
        assertThat(guard.refusedClients().newest(Long.MAX_VALUE, 10))
                .hasSize(3)
                .allSatisfy(refused -> assertThat(refused.words()).isEqualTo("authenticated again: no"));
    }

    @Test
    void disconnectsWhenAuthenticationIsOverUnlessClientAuthenticatesAgain() {
        Instant now = Instant.ofEpochMilli(fixture.wallMillis);
        scripted.answers.add(done(success("ann", now.plusSeconds(60))));
        scripted.answers.add(done(success("ann", now.plusSeconds(120))));
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SUCCESS);

        fixture.pass(Duration.ofSeconds(59));
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        assertThat(fixture.sink.takeOnly(Auth.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        fixture.pass(Duration.ofSeconds(60));
        assertThat(fixture.sink.closed).isFalse();
        fixture.pass(Duration.ofSeconds(1));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test // [MQTT-4.12.1-1]
    void disconnectsWhenClientAuthenticatesAgainByAnotherMethod() {
        connect();

        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "OTHER"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void disconnectsWhenAuthComesOutOfTurn() {
        connect();

        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    @Test
    void disconnectsWhenAuthComesBeforeTheLastWasAnswered() {
        connect();
        scripted.answers.add(new CompletableFuture<>());
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));

        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));

        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
    }

    /** Before, the session would still be judged by what was known of the client. */
    @Test
    void answersWhenTheNewAuthenticationIsStored() {
        CompletableFuture<@Nullable Void> stored = authenticateAgain();
        assertThat(fixture.sink.take(Auth.class)).isEmpty();
        stored.complete(null);
        assertThat(fixture.sink.takeOnly(Auth.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void disconnectsWhenAuthComesBeforeTheNewAuthenticationIsStored() {
        CompletableFuture<@Nullable Void> stored = authenticateAgain();
        scripted.answers.add(done(new EnhancedAuthenticator.Continue(null)));
        fixture.send(auth(ReasonCode.CONTINUE_AUTHENTICATION, "SCRIPT"));
        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.PROTOCOL_ERROR);
        stored.complete(null);
        assertThat(scripted.taken).hasSize(2);
    }

    @Test
    void disconnectsWhenTheNewAuthenticationCannotBeStored() {
        CompletableFuture<@Nullable Void> stored = authenticateAgain();
        stored.completeExceptionally(new IllegalStateException("too much waits"));
        assertThat(fixture.sink.takeOnly(Disconnect.class).reason()).isEqualTo(ReasonCode.UNSPECIFIED_ERROR);
    }

    /** A timer would keep all that the connection had in memory until the authentication is over. */
    @Test
    void nothingIsLeftOfAConnectionThatEndsBeforeItsNewAuthenticationIsAnswered() {
        scripted.answers.add(done(success("ann", null)));
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SUCCESS);
        CompletableFuture<EnhancedAuthenticator.Step> answer = new CompletableFuture<>();
        scripted.answers.add(answer);
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        fixture.send(new Disconnect(ReasonCode.SUCCESS, -1, null, null, List.of()));
        answer.complete(success("ann", Instant.ofEpochMilli(fixture.wallMillis).plusSeconds(60)));
        fixture.turn();
        assertThat(fixture.loop.runScheduledPendingTasks())
                .as("nanoseconds to the next timer")
                .isEqualTo(-1);
    }

    /** Connects, and authenticates again with another group, which is stored when the future says so. */
    private CompletableFuture<@Nullable Void> authenticateAgain() {
        for (String group : List.of("reader", "writer")) {
            Principal ann = new Principal("r", "ann", null, null, List.of(group), null);
            scripted.answers.add(done(new EnhancedAuthenticator.Success(null, new Authenticator.Accepted(null, ann))));
        }
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SUCCESS);
        CompletableFuture<@Nullable Void> stored = new CompletableFuture<>();
        fixture.backend.whenResumed = stored;
        fixture.send(auth(ReasonCode.RE_AUTHENTICATE, "SCRIPT"));
        return stored;
    }

    private void connect() {
        scripted.answers.add(done(new EnhancedAuthenticator.Success(null)));
        assertThat(fixture.connect(Connects.v5().method("SCRIPT")).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    private static EnhancedAuthenticator.Success success(String name, @Nullable Instant end) {
        Principal principal = new Principal("realm", name, null, null, List.of(), null);
        return new EnhancedAuthenticator.Success(null, new Authenticator.Accepted(null, principal, end, Map.of()));
    }

    private static CompletionStage<EnhancedAuthenticator.Step> done(EnhancedAuthenticator.Step step) {
        return CompletableFuture.completedFuture(step);
    }

    private static Auth auth(ReasonCode reason, String method) {
        return new Auth(reason, method, utf8("data"), null, List.of());
    }

    /** Gives prepared answers, and notes what it is asked. */
    private static final class Scripted implements EnhancedAuthenticator {
        private final ArrayDeque<CompletionStage<Step>> answers = new ArrayDeque<>();
        private final List<String> taken = new ArrayList<>();

        @Override
        public String method() {
            return "SCRIPT";
        }

        @Override
        public Exchange begin(ClientInfo client) {
            return this::next;
        }

        private CompletionStage<Step> next(byte @Nullable [] data) {
            taken.add(data == null ? "null" : new String(data, StandardCharsets.UTF_8));
            return answers.remove();
        }
    }
}
