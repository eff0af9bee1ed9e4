package io.tributary.broker.connection;

import io.tributary.broker.guard.Guard;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.ReasonCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connected client authenticates again (MQTT 5, section 4.12.1), while everything else goes on. Confined to the event
 * loop. What the authenticator says this time counts from then on. When authentication fails, or the client is another
 * principal than before, or of another tenant, the connection ends [MQTT-4.12.1-2]; it also ends when the client does
 * not authenticate again before its authentication is over.
 */
final class ReAuthentication {
    private static final Duration AS_GOOD_AS_NEVER = Duration.ofDays(3_650);

    private final ConnectionContext context;
    private final ConnectionOrigin peer;
    private final Identity identity;
    private final @Nullable String method;
    private final Deadline deadline;
    private final Supplier<CompletionStage<?>> onRenewed;
    private @Nullable EnhancedExchange exchange;

    /** Whether nobody hears an answer any more; written on the event loop. */
    private volatile boolean isClosed;

    /**
     * Begins to wait for the end of the authentication.
     *
     * @param method the authentication method of CONNECT, null when there was none
     * @param end when the client's authentication is over, null for never
     * @param onRenewed told when something else is known of the client than before; what it answers is waited for,
     *     and when that fails the connection has ended
     */
    ReAuthentication(
            ConnectionContext context,
            ConnectionOrigin peer,
            Identity identity,
            @Nullable String method,
            @Nullable Instant end,
            Supplier<CompletionStage<?>> onRenewed) {
        this.context = context;
        this.peer = peer;
        this.identity = identity;
        this.method = method;
        this.onRenewed = onRenewed;
        deadline = new Deadline(context);
        endAt(end);
    }

    /** The connection ended. */
    void close() {
        isClosed = true;
        deadline.cancel();
    }

    /**
     * Takes an AUTH packet.
     *
     * @throws MqttException when it comes out of turn or has another method
     */
    void auth(Auth packet) {
        if (method == null || !Objects.equals(method, packet.authenticationMethod())) {
            throw new MqttException( // [MQTT-4.12.0-7, MQTT-4.12.1-1]
                    ReasonCode.PROTOCOL_ERROR, "AUTH with another authentication method than CONNECT");
        }
        boolean begins = packet.reason() == ReasonCode.RE_AUTHENTICATE;
        if (begins != (exchange == null)) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "AUTH out of turn");
        }
        if (exchange == null) {
            exchange = begin(method);
        }
        exchange.next(packet);
    }

    private EnhancedExchange begin(String name) {
        EnhancedAuthenticator authenticator =
                context.services().access().enhanced().get(name);
        if (authenticator == null) {
            throw new MqttException(ReasonCode.NOT_AUTHORIZED, "authentication method is not supported any more");
        }
        return new EnhancedExchange(
                context,
                authenticator,
                identity.client(),
                peer.asker(() -> !isClosed),
                new EnhancedExchange.Observer() {
                    @Override
                    public void onContinue() {}

                    @Override
                    public MqttException onFailure(EnhancedAuthenticator.Failure no, MqttException why) {
                        return refused(no.user(), why);
                    }

                    @Override
                    public void onSuccess(EnhancedAuthenticator.Success success) {
                        if (isClosed) {
                            return; // a deadline would keep all of the connection in memory until then
                        }
                        CompletionStage<?> renewed = renew(success.accepted());
                        endAt(success.accepted().end());
                        Auth last = new Auth(ReasonCode.SUCCESS, name, success.data(), null, List.of());
                        CompletionStage<?> _ = renewed.thenRun(() -> context.run(() -> done(last)));
                    }
                });
    }

    /** A guess counts as one in CONNECT does. */
    private MqttException refused(@Nullable String user, MqttException why) {
        Guard guard = context.services().guard();
        String clientId = identity.client().clientId();
        String words = "authenticated again: " + why.getMessage();
        guard.refused(peer.listener(), peer.remoteAddress(), clientId, user, why.reason(), words);
        if (AuthenticationFailures.isGuess(why)) {
            guard.failed(peer.address(), clientId, user);
        }
        return why;
    }

    private void done(Auth last) {
        exchange = null;
        context.sink().send(last);
    }

    private CompletionStage<?> renew(Accepted accepted) {
        ClientInfo client = identity.client();
        Principal known = Objects.requireNonNull(client.principal());
        Principal now = ConnectHandshake.principal(client, accepted.principal());
        if (!now.isSameAs(known) || !Objects.equals(now.tenant(), known.tenant())) {
            throw new MqttException(ReasonCode.NOT_AUTHORIZED, "authenticated again as another principal");
        }
        ClientInfo same = client.accepted(client.clientId(), Objects.requireNonNull(client.kind()), now, accepted);
        if (same.equals(client)) {
            return CompletableFuture.completedStage(null);
        }
        identity.permissions().renewed(same);
        return onRenewed.get();
    }

    private void endAt(@Nullable Instant end) {
        deadline.cancel();
        if (end != null) {
            Duration left = Duration.between(Instant.ofEpochMilli(context.timeMillis()), end);
            if (left.compareTo(AS_GOOD_AS_NEVER) < 0) {
                deadline.set(left, ReAuthentication::over);
            }
        }
    }

    private static void over() {
        throw new MqttException(ReasonCode.NOT_AUTHORIZED, "the authentication is over");
    }
}
