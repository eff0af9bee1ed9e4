package io.tributary.server.blackbox.security;

import com.hivemq.client.mqtt.datatypes.MqttUtf8String;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientConfig;
import com.hivemq.client.mqtt.mqtt5.auth.Mqtt5EnhancedAuthMechanism;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5Auth;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5AuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.auth.Mqtt5EnhancedAuthBuilder;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.ongres.scram.client.ScramClient;
import com.ongres.scram.common.exception.ScramException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** SCRAM for HiveMQ's client: both are of others, and so is what computes the proofs. */
final class ScramMechanism implements Mqtt5EnhancedAuthMechanism {
    private static final int TIMEOUT_SECONDS = 60;

    private final String method;
    private final String user;
    private final String password;
    private volatile ScramClient exchange;
    private final AtomicInteger authenticatedAgain = new AtomicInteger();

    ScramMechanism(String method, String user, String password) {
        this.method = method;
        this.user = user;
        this.password = password;
        exchange = begin();
    }

    /** How often the client has authenticated again. */
    int authenticatedAgain() {
        return authenticatedAgain.get();
    }

    private ScramClient begin() {
        return ScramClient.builder()
                .advertisedMechanisms(List.of(method))
                .username(user)
                .password(password.toCharArray())
                .build();
    }

    private byte[] first() {
        exchange = begin();
        return exchange.clientFirstMessage().toString().getBytes(StandardCharsets.UTF_8);
    }

    private boolean isServerRight(Mqtt5Auth auth) {
        return isServerRight(text(auth.getData().orElseThrow()));
    }

    private boolean isServerRight(String message) {
        try {
            return exchange.serverFinalMessage(message) != null;
        } catch (ScramException wrong) {
            return false;
        }
    }

    private static String text(ByteBuffer data) {
        return StandardCharsets.UTF_8.decode(data).toString();
    }

    @Override
    public MqttUtf8String getMethod() {
        return MqttUtf8String.of(method);
    }

    @Override
    public int getTimeout() {
        return TIMEOUT_SECONDS;
    }

    @Override
    public CompletableFuture<Void> onAuth(
            Mqtt5ClientConfig config, Mqtt5Connect connect, Mqtt5EnhancedAuthBuilder builder) {
        builder.data(first());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> onReAuth(Mqtt5ClientConfig config, Mqtt5AuthBuilder builder) {
        builder.data(first());
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Boolean> onContinue(Mqtt5ClientConfig config, Mqtt5Auth auth, Mqtt5AuthBuilder builder) {
        try {
            exchange.serverFirstMessage(text(auth.getData().orElseThrow()));
            builder.data(exchange.clientFinalMessage().toString().getBytes(StandardCharsets.UTF_8));
            return CompletableFuture.completedFuture(true);
        } catch (ScramException wrong) {
            return CompletableFuture.completedFuture(false);
        }
    }

    @Override
    public CompletableFuture<Boolean> onAuthSuccess(Mqtt5ClientConfig config, Mqtt5ConnAck answer) {
        return CompletableFuture.completedFuture(isServerRight(
                text(answer.getEnhancedAuth().orElseThrow().getData().orElseThrow())));
    }

    @Override
    public CompletableFuture<Boolean> onReAuthSuccess(Mqtt5ClientConfig config, Mqtt5Auth auth) {
        boolean right = isServerRight(auth);
        authenticatedAgain.addAndGet(right ? 1 : 0);
        return CompletableFuture.completedFuture(right);
    }

    @Override
    public void onAuthRejected(Mqtt5ClientConfig config, Mqtt5ConnAck answer) {}

    @Override
    public void onReAuthRejected(Mqtt5ClientConfig config, Mqtt5Disconnect answer) {}

    @Override
    public void onAuthError(Mqtt5ClientConfig config, Throwable cause) {}

    @Override
    public void onReAuthError(Mqtt5ClientConfig config, Throwable cause) {}
}
