package io.tributary.broker.connection;

import io.tributary.broker.extension.PublishInterceptor.Drop;
import io.tributary.broker.extension.PublishInterceptor.Proceed;
import io.tributary.broker.extension.PublishInterceptor.Refuse;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.Authenticator.NotMine;
import io.tributary.broker.security.Authenticator.Refused;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Will;
import io.tributary.common.topic.TopicLimits;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A CONNECT on its way to being accepted: its checks, and the client's authentication. Confined to the event loop. It
 * ends with one {@link Admission}, or with a failure that becomes a CONNACK.
 */
final class ConnectHandshake {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectHandshake.class);

    private final ConnectionContext context;
    private final ConnectionOrigin peer;
    private final Consumer<Admission> onAdmitted;
    private @Nullable EnhancedExchange exchange;

    /** What the client says of itself, until it is connected. */
    private @Nullable String clientId;

    /** As in CONNECT; once an authenticator has answered, the user that it was asked for, or that the client is. */
    private @Nullable String userName;

    /** The tenant that the client belongs to, as an authenticator says. */
    private @Nullable String tenant;

    /** Why an authenticator said no, in words that are not for the client. */
    private @Nullable String inside;

    /** Whether an authenticator said no, which is not counted yet. */
    private boolean isGuess;

    private Runnable stopWaiting = () -> {};

    /** Whether nobody hears an answer any more; written on the event loop. */
    private volatile boolean isOver;

    ConnectHandshake(ConnectionContext context, ConnectionOrigin peer, Consumer<Admission> onAdmitted) {
        this.context = context;
        this.peer = peer;
        this.onAdmitted = onAdmitted;
    }

    /**
     * Takes the CONNECT.
     *
     * @throws MqttException when it is refused at once
     */
    void begin(Connect connect) {
        clientId = connect.clientId();
        userName = connect.userName();
        checkRoom();
        checkClientId(connect);
        checkBans(connect);
        checkWritable();
        if (context.backend().shards().isCongested()) {
            stopWaiting = context.backend().room().await(() -> context.run(() -> authenticate(connect)));
        } else {
            authenticate(connect);
        }
    }

    /**
     * Takes an AUTH before CONNACK.
     *
     * @throws MqttException when it does not belong to an exchange, or does not go on with it
     */
    void auth(Auth packet) {
        if (exchange == null || packet.reason() != ReasonCode.CONTINUE_AUTHENTICATION) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "AUTH out of turn [MQTT-4.12.0-7]");
        }
        context.gate().close(PauseReason.HANDSHAKE);
        exchange.next(packet);
    }

    /**
     * Checks that a session can be attached: that is an event in the log of its shard, of a transient session, too.
     *
     * @throws MqttException when nothing can be written
     */
    void checkWritable() {
        if (!context.backend().shards().isWritable()) {
            throw new MqttException(ReasonCode.SERVER_UNAVAILABLE, "the broker cannot write to its disk at the moment");
        }
    }

    /** The CONNECT was refused, or what came was none. */
    void refused(MqttException why) {
        LOG.debug("CONNECT from {} refused: {}, {}", peer.remoteAddress(), why.reason(), why.getMessage());
        context.services().recorder().refused(why.reason());
        tellGuard(why);
    }

    private void tellGuard(MqttException why) {
        String words = (inside == null ? String.valueOf(why.getMessage()) : inside)
                + (tenant == null ? "" : " (tenant " + tenant + ")");
        context.services()
                .guard()
                .refused(peer.listener(), peer.remoteAddress(), clientId, userName, why.reason(), words);
        if (isGuess) {
            isGuess = false;
            context.services().guard().failed(peer.address(), clientId, userName);
        }
    }

    /** The client is connected. */
    void connected() {
        if (clientId != null) {
            context.services().guard().connected(peer.address(), clientId, userName);
        }
        clientId = null;
        userName = null;
        stopWaiting = () -> {}; // it has the CONNECT, where that had to wait
    }

    /** The connection ended: nothing is waited for any more. */
    void close() {
        isOver = true;
        stopWaiting.run();
    }

    private void authenticate(Connect connect) {
        ClientInfo claimed = claimed(connect);
        String method = connect.properties().authenticationMethod();
        if (method == null) {
            authenticate(connect, claimed);
        } else {
            authenticateEnhanced(connect, claimed, method);
        }
    }

    private void checkRoom() {
        if (peer.refusal() != null) {
            String words = switch (peer.refusal()) {
                case BANNED -> "the address is banned";
                case USE_ANOTHER_SERVER -> "this node is drained, another node is to serve the client";
                default -> "the listener takes no more connections for now";
            };
            throw new MqttException(peer.refusal(), words);
        }
    }

    private void checkClientId(Connect connect) {
        int limit = context.limits().connect().maxClientIdLength();
        if (connect.clientId().length() > limit) {
            throw new MqttException(
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "client identifier has more than " + limit + " characters");
        }
        if (connect.clientId().equals(context.services().access().backEnds())) {
            throw new MqttException(
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID,
                    "client identifier is that of back-ends, whose records are published");
        }
    }

    /** Refuses whoever is banned by what the client says of itself, before an authenticator is asked. */
    private void checkBans(Connect connect) {
        if (context.services().access().bans().isBanned(connect.clientId(), connect.userName())) {
            throw new MqttException(ReasonCode.BANNED, "the client is banned");
        }
        checkGuard();
    }

    /** Refuses whom an automatic ban holds for, by what is known of the client so far. */
    private void checkGuard() {
        if (isBannedAutomatically()) {
            throw bannedAutomatically();
        }
    }

    private boolean isBannedAutomatically() {
        return clientId != null && context.services().guard().isBanned(peer.address(), clientId, userName);
    }

    private static MqttException bannedAutomatically() {
        return new MqttException(ReasonCode.BANNED, "the client is banned for a while");
    }

    private void authenticate(Connect connect, ClientInfo claimed) {
        Authenticator authenticator = context.services().access().authenticator();
        try {
            authenticator
                    .authenticate(claimed, connect.password(), peer.asker(() -> !isOver))
                    .whenComplete(
                            (result, failure) -> context.run(() -> authenticated(connect, claimed, result, failure)));
        } catch (RuntimeException failure) {
            throw AuthenticationFailures.unavailable(failure);
        }
    }

    private void authenticated(
            Connect connect, ClientInfo claimed, Authenticator.@Nullable Result result, @Nullable Throwable failure) {
        if (result == null) {
            throw AuthenticationFailures.unavailable(failure);
        }
        switch (result) {
            case Accepted yes -> onAdmitted.accept(admission(connect, claimed, yes));
            case Refused no -> {
                inside = no.inside();
                throw guessed(no.user(), AuthenticationFailures.refused(no.reason(), no.message()));
            }
            case NotMine _ -> throw guessed(null, AuthenticationFailures.refused(ReasonCode.NOT_AUTHORIZED, null));
        }
    }

    /**
     * What to refuse a client with. A user who is banned is refused for that, so that nobody learns whether the
     * password was right, and a client that did not stay hears nothing: the guess counts all the same.
     */
    private MqttException guessed(@Nullable String user, MqttException why) {
        boolean isBanned = false;
        if (user != null) {
            userName = user;
            isBanned = isBannedAutomatically();
        }
        isGuess = AuthenticationFailures.isGuess(why);
        if ((isOver || isBanned) && isGuess) {
            tellGuard(why);
        }
        return isBanned ? bannedAutomatically() : why;
    }

    private void authenticateEnhanced(Connect connect, ClientInfo claimed, String method) {
        EnhancedAuthenticator authenticator =
                context.services().access().enhanced().get(method);
        if (authenticator == null) {
            throw new MqttException( // [MQTT-4.12.0-1]
                    ReasonCode.BAD_AUTHENTICATION_METHOD, "authentication method is not supported");
        }
        try {
            exchange = new EnhancedExchange(
                    context, authenticator, claimed, peer.asker(() -> !isOver), new EnhancedExchange.Observer() {
                        @Override
                        public void onContinue() {
                            context.gate().open(PauseReason.HANDSHAKE);
                        }

                        @Override
                        public MqttException onFailure(EnhancedAuthenticator.Failure no, MqttException why) {
                            userName = no.user();
                            return guessed(no.user(), why);
                        }

                        @Override
                        public void onSuccess(EnhancedAuthenticator.Success success) {
                            exchange = null;
                            onAdmitted.accept(admission(connect, claimed, success.accepted())
                                    .withAuthenticationData(success.data()));
                        }
                    });
            exchange.next(connect.properties().authenticationData());
        } catch (MqttException refusal) {
            throw refusal;
        } catch (RuntimeException failure) {
            throw AuthenticationFailures.unavailable(failure);
        }
    }

    /**
     * The rules see the identifier that the client brought: an identifier that the broker makes up could match by
     * chance.
     */
    private Admission admission(Connect connect, ClientInfo claimed, Accepted accepted) {
        boolean assigned = connect.clientId().isEmpty();
        String clientId = assigned ? ClientIdentifiers.random() : connect.clientId(); // [MQTT-3.1.3-6]
        ClientKind kind = accepted.kind() == null
                ? context.services().access().clientRules().kindOf(claimed)
                : accepted.kind();
        Principal principal = principal(claimed, accepted.principal());
        tenant = principal.tenant();
        userName = principal.userName();
        ClientInfo client = claimed.accepted(clientId, kind, principal, accepted);
        String id = idInside(client);
        if (!context.backend().shards().mayAttach(id)) {
            throw new MqttException(
                    ReasonCode.SERVER_UNAVAILABLE, "nobody can give the client its session at the moment");
        }
        if (context.services().access().bans().isBanned(principal)) {
            throw new MqttException(ReasonCode.BANNED, "the client is banned");
        }
        checkGuard();
        if (!assigned && !context.services().guard().mayConnect(peer.address(), principal, id)) {
            throw new MqttException(ReasonCode.CONNECTION_RATE_EXCEEDED, "the client connects too often");
        }
        ClientPermissions permissions = permissions(client);
        Will will = connect.will() == null ? null : will(connect.will(), client, permissions);
        return new Admission(
                connect,
                client,
                permissions,
                assigned,
                sessionExpiry(connect),
                keepAlive(connect),
                will,
                accepted.end(),
                null);
    }

    private static String idInside(ClientInfo client) {
        String id = client.idInside();
        if (TopicLimits.MQTT.exceededBy(id)) { // stores have two bytes for its length, as MQTT has
            throw new MqttException(
                    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "client identifier is too long beside the tenant's name");
        }
        return id;
    }

    private ClientPermissions permissions(ClientInfo client) {
        try {
            return new ClientPermissions(context.services().access().authorizer(), client);
        } catch (RuntimeException failure) {
            throw AuthenticationFailures.unavailable(failure);
        }
    }

    /**
     * Who an authenticated client is.
     *
     * @param named whom the authenticator named, null for the client's user name
     */
    static Principal principal(ClientInfo client, @Nullable Principal named) {
        try {
            return named == null ? Principal.ofUser(client.userName()) : named;
        } catch (IllegalArgumentException _) {
            throw new MqttException(
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD,
                    "the user name has more than " + Principal.MAX_BYTES + " bytes");
        }
    }

    /** The client as it describes itself. */
    private ClientInfo claimed(Connect connect) {
        return new ClientInfo(
                connect.clientId(),
                connect.userName(),
                connect.version(),
                peer.remoteAddress(),
                peer.listener(),
                peer.certificateSubject().get(),
                connect.properties().userProperties(),
                ClientKind.DEVICE,
                peer.certificate().get(),
                Principal.ANONYMOUS,
                Map.of());
    }

    private long sessionExpiry(Connect connect) {
        return Math.min(
                connect.properties().sessionExpirySeconds(),
                context.limits().connect().maxSessionExpirySeconds());
    }

    /** An MQTT 3 client cannot be told another keep alive, and keeps its own. */
    private int keepAlive(Connect connect) {
        int asked = connect.keepAliveSeconds();
        int longest = context.limits().connect().maxKeepAliveSeconds();
        boolean imposed = longest != 0 && connect.version().isMqtt5() && (asked == 0 || asked > longest);
        return imposed ? longest : asked;
    }

    private @Nullable Will will(Will will, ClientInfo client, ClientPermissions permissions) {
        Message message = TenantNames.message(client.tenant(), will.message());
        if (!permissions
                .all()
                .mayPublish(message.topic(), message.qos(), message.retain())
                .allowed()) {
            throw new MqttException(ReasonCode.NOT_AUTHORIZED, "the will's topic is not authorised");
        }
        if (context.limits().inbound().checkPayloadFormat() && !Payloads.isAsDeclared(message)) {
            throw new MqttException(ReasonCode.PAYLOAD_FORMAT_INVALID, "the will's payload is not UTF-8");
        }
        Message published = new Message(
                message.topic(),
                message.payload(),
                message.qos(),
                message.retain(),
                message.properties(),
                Message.NEVER,
                client.idInside());
        return switch (context.backend().router().interceptWill(client, published)) {
            case Proceed(Message left) ->
                new Will(
                        left.withNames(left.topic(), client.idInside()), // one of nobody's would be published unasked
                        will.delaySeconds(),
                        will.messageExpirySeconds());
            case Drop() -> null;
            case Refuse(ReasonCode reason, String words) -> throw new MqttException(reason, words);
        };
    }
}
