package io.tributary.broker.connection;

import io.tributary.broker.security.Asker;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.EnhancedAuthenticator;
import io.tributary.broker.security.EnhancedAuthenticator.Continue;
import io.tributary.broker.security.EnhancedAuthenticator.Exchange;
import io.tributary.broker.security.EnhancedAuthenticator.Failure;
import io.tributary.broker.security.EnhancedAuthenticator.Step;
import io.tributary.broker.security.EnhancedAuthenticator.Success;
import io.tributary.common.mqtt.MqttException;
import io.tributary.common.mqtt.MqttPacket.Auth;
import io.tributary.common.mqtt.ReasonCode;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One exchange of AUTH packets (MQTT 5, section 4.12), in CONNECT or when a client authenticates again. Confined to the
 * event loop. A failure, also of the authenticator itself, ends the connection.
 */
final class EnhancedExchange {
    private final ConnectionContext context;
    private final String method;
    private final Exchange exchange;
    private final Observer observer;
    private boolean pending;

    /** Told how the exchange goes; on the event loop. */
    interface Observer {
        /** The client is asked for another AUTH. */
        void onContinue();

        /** The client is who it says. */
        void onSuccess(Success success);

        /** The client is not; tells what it is refused with. */
        default MqttException onFailure(Failure no, MqttException why) {
            return why;
        }
    }

    /** Begins an exchange; {@link #next} is to follow. */
    EnhancedExchange(
            ConnectionContext context,
            EnhancedAuthenticator authenticator,
            ClientInfo client,
            Asker asker,
            Observer observer) {
        this.context = context;
        this.observer = observer;
        method = authenticator.method();
        exchange = authenticator.begin(client, asker);
    }

    /**
     * Takes an AUTH packet that belongs to this exchange.
     *
     * @throws MqttException when it has another method [MQTT-4.12.0-5] or comes out of turn
     */
    void next(Auth packet) {
        if (!Objects.equals(packet.authenticationMethod(), method)) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "authentication method changed [MQTT-4.12.0-5]");
        }
        next(packet.authenticationData());
    }

    /** Takes the client's authentication data and asks what is next. */
    void next(byte @Nullable [] data) {
        if (pending) {
            throw new MqttException(ReasonCode.PROTOCOL_ERROR, "AUTH was not answered yet");
        }
        pending = true;
        exchange.next(data).whenComplete((step, failure) -> context.run(() -> answered(step, failure)));
    }

    private void answered(@Nullable Step step, @Nullable Throwable failure) {
        if (step == null) {
            throw AuthenticationFailures.unavailable(failure);
        }
        switch (step) {
            case Continue more -> {
                pending = false; // only now: behind success nothing comes
                context.sink() // [MQTT-4.12.0-2]
                        .send(new Auth(ReasonCode.CONTINUE_AUTHENTICATION, method, more.data(), null, List.of()));
                observer.onContinue();
            }
            case Success done -> observer.onSuccess(done);
            case Failure no -> throw observer.onFailure(no, AuthenticationFailures.refused(no.reason(), no.message()));
        }
    }
}
