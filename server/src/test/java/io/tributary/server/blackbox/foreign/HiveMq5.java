package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.lifecycle.MqttDisconnectSource;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.Mqtt5ClientBuilder;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubRecException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5UnsubAckException;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5Connect;
import com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishBuilder;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import io.tributary.server.blackbox.Secured;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The HiveMQ MQTT client with MQTT 5. It uses topic aliases by itself where the broker takes them. */
final class HiveMq5 extends ForeignClient {
    private final Setup setup;
    private final Mqtt5AsyncClient client;

    HiveMq5(Setup setup) {
        this.setup = setup;
        Mqtt5ClientBuilder builder = Mqtt5Client.builder()
                .identifier(setup.clientId())
                .serverHost(Setup.HOST)
                .serverPort(setup.port())
                .addDisconnectedListener(this::onDisconnected);
        if (setup.transport() == Transport.WEB_SOCKET) {
            builder = builder.webSocketConfig().serverPath(Setup.PATH).applyWebSocketConfig();
        }
        if (setup.isSecured()) {
            builder = builder.sslConfig()
                    .trustManagerFactory(SecuredBroker.secured().authority().trustManagers())
                    .applySslConfig();
        }
        client = builder.buildAsync();
        client.publishes(MqttGlobalPublishFilter.ALL, this::onPublish);
    }

    @Override
    boolean connect() throws Exception {
        Mqtt5ConnectBuilder connect = Mqtt5Connect.builder()
                .cleanStart(setup.clean())
                .sessionExpiryInterval(setup.expirySeconds())
                .keepAlive(setup.keepAliveSeconds())
                .restrictions()
                .topicAliasMaximum(setup.aliases())
                .applyRestrictions();
        if (setup.isSecured()) {
            connect = connect.simpleAuth()
                    .username(Secured.USER)
                    .password(Secured.PASSWORD.getBytes(UTF_8))
                    .applySimpleAuth();
        }
        Note will = setup.will();
        if (will != null) {
            connect = connect.willPublish(packet(will));
        }
        return await(client.connect(connect.build())).isSessionPresent();
    }

    @Override
    int subscribe(String filter, int qos) throws Exception {
        try {
            return await(client.subscribeWith()
                            .topicFilter(filter)
                            .qos(qos(qos))
                            .send())
                    .getReasonCodes()
                    .getFirst()
                    .getCode();
        } catch (Mqtt5SubAckException refused) {
            return refused.getMqttMessage().getReasonCodes().getFirst().getCode();
        }
    }

    @Override
    int unsubscribe(String filter) throws Exception {
        try {
            return await(client.unsubscribeWith().topicFilter(filter).send())
                    .getReasonCodes()
                    .getFirst()
                    .getCode();
        } catch (Mqtt5UnsubAckException refused) {
            return refused.getMqttMessage().getReasonCodes().getFirst().getCode();
        }
    }

    @Override
    int publish(Note note) throws Exception {
        try {
            return reason(await(client.publish(packet(note))));
        } catch (Mqtt5PubAckException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        } catch (Mqtt5PubRecException refused) {
            return refused.getMqttMessage().getReasonCode().getCode();
        }
    }

    @Override
    void disconnect() throws Exception {
        await(client.disconnect());
    }

    @Override
    public void close() {
        if (client.getState().isConnected()) {
            client.disconnect().exceptionally(gone -> null);
        }
    }

    private static int reason(Mqtt5PublishResult result) {
        return switch (result) {
            case Mqtt5PublishResult.Mqtt5Qos1Result qos1 ->
                qos1.getPubAck().getReasonCode().getCode();
            case Mqtt5PublishResult.Mqtt5Qos2Result qos2 ->
                qos2.getPubRec().getReasonCode().getCode();
            default -> 0;
        };
    }

    private static Mqtt5Publish packet(Note note) {
        Mqtt5PublishBuilder.Complete publish = Mqtt5Publish.builder()
                .topic(note.topic())
                .payload(note.payload())
                .qos(qos(note.qos()))
                .retain(note.retain());
        Note.Properties properties = note.properties();
        Long expiry = properties.expirySeconds();
        if (expiry != null) {
            publish = publish.messageExpiryInterval(expiry);
        }
        String correlation = properties.correlation();
        return publish.contentType(properties.contentType())
                .responseTopic(properties.responseTopic())
                .correlationData(correlation == null ? null : correlation.getBytes(UTF_8))
                .userProperties(Mqtt5UserProperties.of(properties.user().entrySet().stream()
                        .map(entry -> Mqtt5UserProperty.of(entry.getKey(), entry.getValue()))
                        .toList()))
                .build();
    }

    private void onPublish(Mqtt5Publish publish) {
        Map<String, String> user = new LinkedHashMap<>();
        publish.getUserProperties()
                .asList()
                .forEach(property -> user.put(
                        property.getName().toString(), property.getValue().toString()));
        Note.Properties properties = new Note.Properties(
                user,
                publish.getContentType().map(Object::toString).orElse(null),
                publish.getResponseTopic().map(Object::toString).orElse(null),
                publish.getCorrelationData().map(HiveMq5::text).orElse(null),
                publish.getMessageExpiryInterval().isPresent()
                        ? publish.getMessageExpiryInterval().getAsLong()
                        : null);
        arrived(new Note(
                publish.getTopic().toString(),
                publish.getPayloadAsBytes(),
                publish.getQos().getCode(),
                publish.isRetain(),
                properties));
    }

    private void onDisconnected(MqttClientDisconnectedContext context) {
        boolean told = context.getSource() == MqttDisconnectSource.SERVER
                && context.getCause() instanceof Mqtt5DisconnectException;
        lost(told ? reason((Mqtt5DisconnectException) context.getCause()) : NO_REASON);
    }

    private static int reason(Mqtt5DisconnectException cause) {
        return cause.getMqttMessage().getReasonCode().getCode();
    }

    private static String text(ByteBuffer data) {
        return UTF_8.decode(data).toString();
    }

    private static MqttQos qos(int qos) {
        return requireNonNull(MqttQos.fromCode(qos));
    }

    private static <T> T await(CompletableFuture<T> answer) throws Exception {
        try {
            return answer.get(PATIENCE_SECONDS, SECONDS);
        } catch (ExecutionException failure) {
            @Nullable Throwable cause = failure.getCause();
            throw cause instanceof Exception exception ? exception : failure;
        }
    }
}
