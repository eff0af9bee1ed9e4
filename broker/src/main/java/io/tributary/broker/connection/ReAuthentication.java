package io.tributary.broker.connection;

import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A connected client authenticates again (MQTT 5, section 4.12.1), while everything else goes on. Confined to the event
 * loop. When authentication fails, or the client is another principal than before, the connection ends
 * [MQTT-4.12.1-2].
 */
final class ReAuthentication {
    private final ConnectionContext context;
    private final ClientInfo client;
    private final @Nullable String method;
    private @Nullable EnhancedExchange exchange;

    /** Takes the authentication method of CONNECT, null when there was none. */
    ReAuthentication(ConnectionContext context, ClientInfo client, @Nullable String method) {
        this.context = context;
        this.client = client;
        this.method = method;
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
        Principal known = Objects.requireNonNull(client.principal());
        return new EnhancedExchange(context, authenticator, client, new EnhancedExchange.Observer() {
            @Override
            public void onContinue() {}

            @Override
            public void onSuccess(EnhancedAuthenticator.Success success) {
                if (!ConnectHandshake.principal(client, success.principal()).isSameAs(known)) {
                    throw new MqttException(ReasonCode.NOT_AUTHORIZED, "authenticated again as another principal");
                }
                exchange = null;
                context.sink().send(new Auth(ReasonCode.SUCCESS, name, success.data(), null, List.of()));
            }
        });
    }
}
