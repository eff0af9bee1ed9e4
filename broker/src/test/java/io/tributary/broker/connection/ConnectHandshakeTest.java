package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.guard.AutomaticBan;
import io.tributary.broker.guard.BanLimit;
import io.tributary.broker.guard.Guard;
import io.tributary.broker.guard.RefusedClient;
import io.tributary.broker.security.Asker;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.ClientRules;
import io.tributary.broker.security.ClientRules.CertificateSubject;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.TextPattern;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConnectHandshakeTest {
    private final ConnectionFixture fixture = new ConnectionFixture();

    @Test
    void acceptsWithSuccessWhenNothingIsWrong() {
        Connack connack = fixture.connect(Connects.v5());

        assertThat(connack.reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(connack.sessionPresent()).isFalse();
        assertThat(fixture.backend.lifecycle).containsExactly("online c transient");
        assertThat(fixture.events).containsExactly("connected c");
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test // [MQTT-3.1.0-1]
    void closesWithoutWordWhenFirstPacketIsNoConnect() {
        fixture.send(new Pingreq());

        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.backend.detaches).isEmpty();
    }

    @Test // [MQTT-3.2.2-3]
    void tellsSessionPresentWhenShardResumedIt() {
        fixture.backend.attached = new Attached(7, 9, true, ClientKind.DEVICE, new int[0], 50);

        assertThat(fixture.connect(Connects.v5().durable()).sessionPresent()).isTrue();
        assertThat(fixture.backend.lifecycle).containsExactly("online c persistent");
    }

    @Test // MQTT 3.1 has a reserved byte there
    void doesNotTellMqtt31WhetherSessionIsThere() {
        fixture.backend.attached = new Attached(100, 101, true, ClientKind.DEVICE, new int[0], 50);

        assertThat(fixture.connect(Connects.v31().durable()).sessionPresent()).isFalse();
    }

    @Test // [MQTT-3.2.0-1]
    void closesConnectionBeforeItsSessionIsTouchedWhenConnackIsTooLargeForClient() {
        fixture.send(Connects.v5().maximumPacketSize(5).build());

        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.sink.take(Connack.class))
                .allSatisfy(answer -> assertThat(answer.reason()).isEqualTo(ReasonCode.PACKET_TOO_LARGE));
        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void refusesWhenTooManyWaitForTheirSessions() {
        fixture.backend.full = true;

        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);

        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.backend.attaches).isEmpty();
        assertThat(fixture.sessions.size()).isZero();
    }

    /** A transient session, too, is an event in a log. */
    @Test
    void refusesAtOnceWhenNothingCanBeWritten() {
        fixture.backend.writable = false;

        Connack refusal = fixture.connect(Connects.v5());

        assertThat(refusal.reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(refusal.properties().reasonString()).isEqualTo("the broker cannot write to its disk at the moment");
        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void refusesSoonWhenItTurnsOutThatNothingCanBeWritten() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());
        fixture.backend.writable = false;

        fixture.pass(Duration.ofSeconds(1));

        assertThat(fixture.sink.take(Connack.class))
                .singleElement()
                .satisfies(
                        answer -> assertThat(answer.properties().reasonString()).contains("cannot write"));
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void waitsForItsShardToTheEndOfTheTimeWhenOnlyTheAnswerIsLate() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        fixture.pass(fixture.limits.connect().attachTimeout().minusMillis(1));
        assertThat(fixture.sink.closed).isFalse();
        fixture.pass(Duration.ofMillis(1));

        assertThat(fixture.sink.closed).isTrue();
    }

    @Test // [MQTT-3.1.2-5]
    void resumesSessionWhenItIsNotToLastAnyLonger() {
        fixture.backend.attached = new Attached(7, 9, true, ClientKind.DEVICE, new int[0], 50);

        fixture.connect(Connects.v5().keepSession());

        assertThat(fixture.backend.lifecycle).containsExactly("online c persistent");
    }

    @Test // [MQTT-3.1.3-6, MQTT-3.2.2-16]
    void assignsUnguessableClientIdentifierWhenThereIsNone() {
        Connack connack = fixture.connect(Connects.v5().clientId(""));

        String assigned = connack.properties().assignedClientId();
        assertThat(assigned).hasSize(22).matches("[0-9A-Za-z]+");
        assertThat(fixture.backend.attaches.getLast().clientId()).isEqualTo(assigned);
    }

    @Test
    void assignsClientIdentifierWhenMqtt3ClientHasNone() {
        fixture.connect(Connects.v3().clientId(""));

        assertThat(fixture.backend.attaches.getLast().clientId()).hasSize(22);
    }

    @Test // [MQTT-3.2.2-16]
    void assignsNoClientIdentifierWhenClientHasOne() {
        assertThat(fixture.connect(Connects.v5()).properties().assignedClientId())
                .isNull();
    }

    @Test
    void refusesWhenClientIdentifierIsTooLong() {
        Connack connack = fixture.connect(Connects.v5().clientId("x".repeat(1_025)));

        assertThat(connack.reason()).isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void tellsLimitsWhenTheyDifferFromWhatMqttPresumes() {
        MqttPacket.ConnackProperties properties = fixture.connect(Connects.v5()).properties();

        assertThat(properties.receiveMaximum()).isEqualTo(1_000);
        assertThat(properties.maximumPacketSize()).isEqualTo(2 * 1024 * 1024);
        assertThat(properties.topicAliasMaximum()).isEqualTo(32);
        assertThat(properties.sessionExpirySeconds()).isEqualTo(MqttPacket.ABSENT);
        assertThat(properties.serverKeepAlive()).isEqualTo(MqttPacket.ABSENT);
        assertThat(properties.maximumQos()).isNull();
    }

    @Test // [MQTT-3.2.2-21]
    void imposesKeepAliveWhenClientAsksForMore() {
        fixture.limits = connectLimits(30, ConnectProperties.NEVER_EXPIRES, null);

        assertThat(fixture.connect(Connects.v5().keepAlive(60)).properties().serverKeepAlive())
                .isEqualTo(30);
    }

    @Test
    void imposesKeepAliveWhenClientTurnsItOff() {
        fixture.limits = connectLimits(30, ConnectProperties.NEVER_EXPIRES, null);

        assertThat(fixture.connect(Connects.v5()).properties().serverKeepAlive())
                .isEqualTo(30);
    }

    @Test
    void capsSessionExpiryWhenItIsTooLong() {
        fixture.limits = connectLimits(0, 100, null);

        assertThat(fixture.connect(Connects.v5().durable()).properties().sessionExpirySeconds())
                .isEqualTo(100);
        assertThat(fixture.backend.attaches.getLast().sessionExpirySeconds()).isEqualTo(100);
    }

    @Test // [MQTT-3.1.2-28]
    void givesResponseInformationOnlyWhenAskedForIt() {
        fixture.limits = connectLimits(0, 0, "answers/");

        assertThat(fixture.connect(Connects.v5().responseInformation())
                        .properties()
                        .responseInformation())
                .isEqualTo("answers/");
        ConnectionFixture other = new ConnectionFixture();
        other.limits = fixture.limits;
        assertThat(other.connect(Connects.v5()).properties().responseInformation())
                .isNull();
    }

    @Test
    void refusesWithReasonOfListenerWhenItIsFull() {
        fixture.refusal = ReasonCode.CONNECTION_RATE_EXCEEDED;

        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
        assertThat(fixture.recorder.refused).containsExactly(ReasonCode.CONNECTION_RATE_EXCEEDED);
    }

    @Test // [MQTT-4.11]
    void tellsClientWhereToGoWhenListenerTurnsItAway() {
        fixture.refusal = ReasonCode.USE_ANOTHER_SERVER;
        fixture.serverReference = "other.example";

        Connack refusal = fixture.connect(Connects.v5());

        assertThat(refusal.reason()).isEqualTo(ReasonCode.USE_ANOTHER_SERVER);
        assertThat(refusal.properties().serverReference()).isEqualTo("other.example");
    }

    @Test
    void refusesWithNearestReturnCodeWhenClientSpeaksMqtt3() {
        fixture.refusal = ReasonCode.QUOTA_EXCEEDED;

        assertThat(fixture.connect(Connects.v3()).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void waitsWhileShardsAreCongested() {
        fixture.backend.congested = true;
        fixture.send(Connects.v5().build());
        assertThat(fixture.sink.take()).isEmpty();
        assertThat(fixture.connection().mayRead()).isFalse();

        fixture.backend.makeRoom();
        fixture.turn();

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void waitsForRoomNoLongerThanItsConnection() {
        fixture.backend.congested = true;
        fixture.send(Connects.v5().build());

        fixture.connection().connectionLost();

        assertThat(fixture.backend.waitingForRoom()).isZero();
    }

    @Test // [MQTT-3.1.4-2]
    void refusesWhenAuthenticatorSaysNo() {
        fixture.authenticator = (client, password) -> CompletableFuture.completedFuture(
                new Authenticator.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "who are you"));

        Connack connack = fixture.connect(Connects.v5());

        assertThat(connack.reason()).isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD);
        assertThat(connack.properties().reasonString()).isEqualTo("who are you");
        assertThat(connack.sessionPresent()).isFalse(); // [MQTT-3.2.2-6]
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void refusesWhenAuthenticatorThrows() {
        fixture.authenticator = (client, password) -> {
            throw new IllegalStateException("down");
        };

        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void refusesWhenStageOfAuthenticatorFails() {
        fixture.authenticator = (client, password) -> CompletableFuture.failedFuture(new IllegalStateException("down"));

        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void takesNoPacketsWhileAuthenticatorThinks() {
        CompletableFuture<Authenticator.Result> thinking = new CompletableFuture<>();
        fixture.authenticator = (client, password) -> thinking;
        fixture.send(Connects.v5().build());

        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.sink.take()).isEmpty();

        thinking.complete(new Authenticator.Accepted());
        fixture.turn();

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SUCCESS);
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.sink.resumed).isEqualTo(1);
    }

    @Test
    void doesNotAttachWhenConnectionIsLostWhileAuthenticatorThinks() {
        CompletableFuture<Authenticator.Result> thinking = new CompletableFuture<>();
        fixture.authenticator = (client, password) -> thinking;
        fixture.send(Connects.v5().build());
        fixture.connection().connectionLost();

        thinking.complete(new Authenticator.Accepted());
        fixture.turn();

        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void guessCountsWhenClientDoesNotStayForTheAnswer() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        fixture.guard = ConnectionFixture.guard(BanLimit.NONE, ConnectionFixture.ONCE);
        CompletableFuture<Authenticator.Result> thinking = new CompletableFuture<>();
        fixture.authenticator = (client, password) -> thinking;
        fixture.send(Connects.v5().build());
        fixture.connection().connectionLost();

        thinking.complete(new Authenticator.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "wrong password"));
        fixture.turn();

        assertThat(fixture.guard.arrives(fixture.address)).isEqualTo(ReasonCode.BANNED);
        assertThat(fixture.guard.refusedClients().newest(Long.MAX_VALUE, 10))
                .extracting(RefusedClient::words)
                .containsExactly("wrong password");
    }

    /** A directory does not tell Ann from ann. */
    @Test
    void failuresOfAUserCountHoweverItsNameIsWritten() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        fixture.guard = ConnectionFixture.guard(ConnectionFixture.ONCE, BanLimit.NONE);
        fixture.guard.failed(fixture.address, "c", "ann");
        Principal ann = new Principal("people", "uid=ann", "ann", null, List.of(), null);
        for (Authenticator.Result answer : List.of(
                new Authenticator.Accepted(null, ann),
                new Authenticator.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null, null, "ann"))) {
            ConnectionFixture other = new ConnectionFixture();
            other.address = fixture.address;
            other.guard = fixture.guard;
            other.authenticator = (client, password) -> CompletableFuture.completedFuture(answer);
            assertThat(other.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.BANNED);
        }
    }

    @Test
    void guessAtABannedUserCountsForTheAddress() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        BanLimit twice = new BanLimit(2, Duration.ofMinutes(1), Duration.ofMinutes(1));
        fixture.guard = ConnectionFixture.guard(ConnectionFixture.ONCE, twice);
        fixture.guard.failed(fixture.address, "c", "ann");
        fixture.authenticator = (client, password) -> CompletableFuture.completedFuture(
                new Authenticator.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null, null, "ann"));
        assertThat(fixture.guard.arrives(fixture.address)).isNull();
        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.BANNED);
        assertThat(fixture.guard.arrives(fixture.address)).isEqualTo(ReasonCode.BANNED);
    }

    /** Devices behind one address whose rules were changed, or which have each other's client identifiers. */
    @Test
    void onlyFailuresToAuthenticateCount() {
        InetAddress address = InetAddress.ofLiteral("203.0.113.1");
        Guard guard = ConnectionFixture.guard(ConnectionFixture.ONCE, ConnectionFixture.ONCE);
        for (int i = 0; i < 1_000; i++) {
            ConnectionFixture denied = new ConnectionFixture();
            denied.address = address;
            denied.guard = guard;
            assertThat(denied.connect(Connects.v5().clientId("c" + i).will("$SYS/x"))
                            .reason())
                    .isEqualTo(ReasonCode.NOT_AUTHORIZED);
        }
        ConnectionFixture stranger = new ConnectionFixture();
        stranger.address = address;
        stranger.guard = guard;
        stranger.backend.holdAttach = true;
        stranger.send(Connects.v5().build());
        stranger.backend.connections.refused(stranger.connectionNumber(), AttachRefusal.IS_SOMEBODY_ELSES);
        stranger.turn();
        assertThat(stranger.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
        ConnectionFixture busy = new ConnectionFixture();
        busy.address = address;
        busy.guard = guard;
        busy.authenticator = (client, password) ->
                CompletableFuture.completedFuture(new Authenticator.Refused(ReasonCode.SERVER_BUSY, "too much waits"));
        assertThat(busy.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.SERVER_BUSY);

        fixture.address = address;
        fixture.guard = guard;
        assertThat(guard.arrives(address)).isNull();
        assertThat(fixture.connect(Connects.v5()).reason()).isEqualTo(ReasonCode.SUCCESS);
    }

    @Test
    void failureCountsForTheUserThatTheAuthenticatorNames() {
        fixture.address = InetAddress.ofLiteral("203.0.113.1");
        fixture.guard = ConnectionFixture.guard(ConnectionFixture.ONCE, BanLimit.NONE);
        fixture.authenticator = (client, password) -> CompletableFuture.completedFuture(
                new Authenticator.Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, null, null, "ann"));
        fixture.connect(Connects.v5());
        assertThat(fixture.guard.bans()).extracting(AutomaticBan::who).containsExactly("ann");
    }

    @Test
    void authenticatorLearnsWhereTheClientIsAndThatItIsGone() {
        List<Asker> askers = new ArrayList<>();
        fixture.address = InetAddress.ofLiteral("2001:db8:1:2::3");
        fixture.authenticator = new Authenticator() {
            @Override
            public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
                throw new IllegalStateException("the other one is asked");
            }

            @Override
            public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password, Asker asker) {
                askers.add(asker);
                return new CompletableFuture<>();
            }
        };
        fixture.send(Connects.v5().build());
        assertThat(askers.getFirst().address()).isEqualTo("2001:db8:1:2:0:0:0:0/64");
        assertThat(askers.getFirst().isWaiting().getAsBoolean()).isTrue();

        fixture.pass(Duration.ofSeconds(11)); // it is refused for want of an answer
        assertThat(askers.getFirst().isWaiting().getAsBoolean()).isFalse();
    }

    @Test
    void asksAuthenticatorAboutCertificateAndUserProperties() {
        List<ClientInfo> asked = new ArrayList<>();
        fixture.certificateSubject = "CN=billing,O=Acme";
        fixture.authenticator = (client, password) -> {
            asked.add(client);
            return CompletableFuture.completedFuture(new Authenticator.Accepted());
        };

        fixture.connect(Connects.v5().userProperty("role", "reader"));

        assertThat(asked.getFirst().certificateSubject()).isEqualTo("CN=billing,O=Acme");
        assertThat(asked.getFirst().userProperties()).containsExactly(new UserProperty("role", "reader"));
        assertThat(asked.getFirst().isApplication()).isFalse();
    }

    /** They are kept for as long as the client is connected, and count in no limit. */
    @Test
    void keepsOfLargeUserPropertiesThoseThatTakeLittle() {
        List<ClientInfo> asked = new ArrayList<>();
        fixture.authenticator = (client, password) -> {
            asked.add(client);
            return CompletableFuture.completedFuture(new Authenticator.Accepted());
        };
        Connects connect =
                Connects.v5().userProperty("token", "x".repeat(5_000)).userProperty("role", "reader");
        for (int i = 0; i < 98; i++) {
            connect.userProperty("a", "b");
        }
        fixture.connect(connect);

        assertThat(asked.getFirst().userProperties()).hasSize(100);
        assertThat(fixture.clients.getFirst().userProperties())
                .startsWith(new UserProperty("role", "reader"))
                .hasSizeBetween(30, 34);
    }

    @Test
    void isApplicationFromThenOnWhenRuleSaysSo() {
        fixture.clientRules = only(new CertificateSubject(TextPattern.of("*,O=Acme")), ClientKind.SMALL_APPLICATION);
        fixture.certificateSubject = "CN=billing,O=Acme";

        fixture.connect(Connects.v5());

        assertThat(fixture.clients).extracting(ClientInfo::kind).containsExactly(ClientKind.SMALL_APPLICATION);
        assertThat(fixture.recorder.kinds).containsExactly(ClientKind.SMALL_APPLICATION);
        fixture.connection().connectionLost();
        assertThat(fixture.clients).hasSize(2).allMatch(ClientInfo::isApplication);
        assertThat(fixture.recorder.kinds).containsExactly(ClientKind.SMALL_APPLICATION, ClientKind.SMALL_APPLICATION);
    }

    @ParameterizedTest
    @EnumSource
    void isWhatAuthenticatorSaysWhateverTheRulesSay(ClientKind answer) {
        ClientKind other = answer == ClientKind.DEVICE ? ClientKind.APPLICATION : ClientKind.DEVICE;
        fixture.clientRules = only(new ClientId(TextPattern.of("*")), other);
        fixture.authenticator =
                (client, password) -> CompletableFuture.completedFuture(new Authenticator.Accepted(answer));

        fixture.connect(Connects.v5());

        assertThat(fixture.clients).extracting(ClientInfo::kind).containsExactly(answer);
    }

    @Test
    void rulesDoNotSeeTheIdentifierThatTheBrokerMakesUp() {
        fixture.clientRules = only(new ClientId(TextPattern.of("?*")), ClientKind.APPLICATION);

        fixture.connect(Connects.v5().clientId(""));

        assertThat(fixture.clients.getFirst().clientId()).isNotEmpty();
        assertThat(fixture.clients.getFirst().isApplication()).isFalse();
    }

    private static ClientRules only(ClientRules.Condition condition, ClientKind kind) {
        return new ClientRules(List.of(new ClientRules.Rule(List.of(condition), kind)));
    }

    @Test
    void closesWhenNoConnectComesInTime() {
        fixture.connection();
        fixture.pass(Duration.ofSeconds(9));
        assertThat(fixture.sink.closed).isFalse();

        fixture.pass(Duration.ofSeconds(2));

        assertThat(fixture.sink.closed).isTrue();
        assertThat(fixture.sink.take()).isEmpty();
    }

    @Test
    void refusesWhenAuthenticatorDoesNotAnswerInTime() {
        fixture.authenticator = (client, password) -> new CompletableFuture<>();
        fixture.send(Connects.v5().build());

        fixture.pass(Duration.ofSeconds(11));

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
    }

    @Test
    void refusesWhenShardDoesNotAnswerInTime() {
        fixture.backend.holdAttach = true;
        fixture.send(Connects.v5().build());

        fixture.pass(Duration.ofSeconds(31));

        assertThat(fixture.sink.takeOnly(Connack.class).reason()).isEqualTo(ReasonCode.SERVER_UNAVAILABLE);
        assertThat(fixture.sink.closed).isTrue();
    }

    @Test
    void attachesWithWindowAndWillWhenAccepted() {
        fixture.connect(Connects.v5().durable().receiveMaximum(7).will("gone"));

        var attach = fixture.backend.attaches.getLast();
        assertThat(attach.receiveMaximum()).isEqualTo(7);
        assertThat(attach.cleanStart()).isFalse();
        assertThat(attach.node()).isEqualTo("node");
        Will will = attach.will();
        assertThat(will).isNotNull();
        assertThat(will.message().publisher()).isEqualTo("c");
        assertThat(will.message().retain()).isTrue();
        assertThat(will.delaySeconds()).isEqualTo(5);
        assertThat(will.messageExpirySeconds()).isEqualTo(60);
    }

    @Test
    void capsWindowByConfigurationWhenClientTakesMore() {
        fixture.connect(Connects.v5().durable());

        assertThat(fixture.backend.attaches.getLast().receiveMaximum()).isEqualTo(1000);
    }

    @Test
    void namesAssignedClientAsPublisherOfWillWhenItHadNoIdentifier() {
        fixture.connect(Connects.v5().clientId("").will("gone"));

        var attach = fixture.backend.attaches.getLast();
        Will will = attach.will();
        assertThat(will).isNotNull();
        assertThat(will.message().publisher()).isEqualTo(attach.clientId());
    }

    @Test
    void givesWillThePriorityThatItIsToHave() {
        fixture.backend.priorityOfWills = 2;

        fixture.connect(Connects.v5().will("gone"));

        Will will = fixture.backend.attaches.getFirst().will();
        assertThat(will).isNotNull();
        assertThat(will.message().priority()).isEqualTo(2);
    }

    @Test
    void keepsOfWillWhatAnInterceptorLeavesUnderItsPublisher() {
        fixture.backend.interceptorOfWills =
                (client, will) -> new PublishInterceptor.Proceed(Message.of("other", utf8("left"), will.qos()));

        fixture.connect(Connects.v5().will("gone"));

        Will will = fixture.backend.attaches.getFirst().will();
        assertThat(will).isNotNull();
        assertThat(will.message())
                .isEqualTo(ConnectionFixture.message(
                                "other", "left", will.message().qos())
                        .withNames("other", "c"));
        assertThat(will.delaySeconds()).isEqualTo(5);
    }

    @Test
    void connectsWithoutWillThatAnInterceptorDrops() {
        fixture.backend.interceptorOfWills = (client, will) -> new PublishInterceptor.Drop();

        assertThat(fixture.connect(Connects.v5().will("gone")).reason()).isEqualTo(ReasonCode.SUCCESS);

        assertThat(fixture.backend.attaches.getFirst().will()).isNull();
    }

    @Test
    void refusesClientWhoseWillAnInterceptorRefuses() {
        fixture.backend.interceptorOfWills =
                (client, will) -> new PublishInterceptor.Refuse(ReasonCode.PAYLOAD_FORMAT_INVALID, "not JSON");

        Connack connack = fixture.connect(Connects.v5().will("gone"));

        assertThat(connack.reason()).isEqualTo(ReasonCode.PAYLOAD_FORMAT_INVALID);
        assertThat(connack.properties().reasonString()).isEqualTo("not JSON");
        assertThat(fixture.backend.attaches).isEmpty();
    }

    @Test
    void refusesWhenWillIsNotAuthorised() {
        assertThat(fixture.connect(Connects.v5().will("$SYS/x")).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test
    void refusesWillWhenAuthorizerThrows() {
        fixture.authorizer = new Authorizer() {
            @Override
            public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
                throw new IllegalStateException("down");
            }

            @Override
            public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
                return true;
            }

            @Override
            public boolean mayReceive(ClientInfo client, String topic) {
                return true;
            }
        };

        assertThat(fixture.connect(Connects.v5().will("gone")).reason()).isEqualTo(ReasonCode.NOT_AUTHORIZED);
    }

    @Test
    void refusesWillWhenItsPayloadIsNotWhatItSays() {
        InboundLimits inbound = new InboundLimits(10, 10, 10, 10, true, MessageRate.UNLIMITED);
        fixture.limits = new ClientLimits(
                ClientLimits.DEFAULT.packets(), ConnectLimits.DEFAULT, inbound, OutboundLimits.DEFAULT);
        PublishProperties text = new PublishProperties(PayloadFormat.UTF_8, null, null, null, List.of());

        Connack connack = fixture.connect(Connects.v5().will("gone", text, new byte[] {(byte) 0xC3, 0x28}));

        assertThat(connack.reason()).isEqualTo(ReasonCode.PAYLOAD_FORMAT_INVALID);
        ConnectionFixture other = new ConnectionFixture();
        other.limits = fixture.limits;
        assertThat(other.connect(Connects.v5().will("gone", text, utf8("\u00e9")))
                        .reason())
                .isEqualTo(ReasonCode.SUCCESS);
    }

    private static ClientLimits connectLimits(int maxKeepAlive, long maxExpiry, @Nullable String responseInformation) {
        ConnectLimits connect = new ConnectLimits(
                Duration.ofSeconds(10), Duration.ofSeconds(30), 1_024, maxKeepAlive, maxExpiry, responseInformation);
        return new ClientLimits(ClientLimits.DEFAULT.packets(), connect, InboundLimits.DEFAULT, OutboundLimits.DEFAULT);
    }
}
