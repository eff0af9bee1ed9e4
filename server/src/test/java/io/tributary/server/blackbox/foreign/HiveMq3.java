package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.lifecycle.MqttClientDisconnectedContext;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.Mqtt3ClientBuilder;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3Connect;
import com.hivemq.client.mqtt.mqtt3.message.connect.Mqtt3ConnectBuilder;
import com.hivemq.client.mqtt.mqtt3.message.publish.Mqtt3Publish;
import com.hivemq.client.mqtt.mqtt3.message.subscribe.suback.Mqtt3SubAckReturnCode;
import io.tributary.server.blackbox.Secured;
import java.util.concurrent.CompletableFuture;

/** The HiveMQ MQTT client with MQTT 3.1.1. */
final class HiveMq3 extends ForeignClient {
    private final Setup setup;
    private final Mqtt3AsyncClient client;

    HiveMq3(Setup setup) {
        this.setup = setup;
        Mqtt3ClientBuilder builder = Mqtt3Client.builder()
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
        Mqtt3ConnectBuilder connect =
                Mqtt3Connect.builder().cleanSession(setup.clean()).keepAlive(setup.keepAliveSeconds());
        if (setup.isSecured()) {
            connect = connect.simpleAuth()
                    .username(Secured.USER)
                    .password(Secured.PASSWORD.getBytes(UTF_8))
                    .applySimpleAuth();
        }
        Note will = setup.will();
        if (will != null) {
            connect = connect.willPublish()
                    .topic(will.topic())
                    .payload(will.payload())
                    .qos(qos(will.qos()))
                    .retain(will.retain())
                    .applyWillPublish();
        }
        return await(client.connect(connect.build())).isSessionPresent();
    }

    @Override
    int subscribe(String filter, int qos) throws Exception {
        Mqtt3SubAckReturnCode code = await(
                        client.subscribeWith().topicFilter(filter).qos(qos(qos)).send())
                .getReturnCodes()
                .getFirst();
        return code.getCode();
    }

    @Override
    int unsubscribe(String filter) throws Exception {
        await(client.unsubscribeWith().topicFilter(filter).send());
        return 0;
    }

    @Override
    int publish(Note note) throws Exception {
        await(client.publishWith()
                .topic(note.topic())
                .payload(note.payload())
                .qos(qos(note.qos()))
                .retain(note.retain())
                .send());
        return 0;
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

    private void onPublish(Mqtt3Publish publish) {
        arrived(new Note(
                publish.getTopic().toString(),
                publish.getPayloadAsBytes(),
                publish.getQos().getCode(),
                publish.isRetain(),
                Note.Properties.NONE));
    }

    private void onDisconnected(MqttClientDisconnectedContext context) {
        lost(NO_REASON);
    }

    private static MqttQos qos(int qos) {
        return requireNonNull(MqttQos.fromCode(qos));
    }

    private static <T> T await(CompletableFuture<T> answer) throws Exception {
        return answer.get(PATIENCE_SECONDS, SECONDS);
    }
}
