package io.tributary.server.blackbox.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.server.blackbox.Secured;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.paho.mqttv5.client.IMqttToken;
import org.eclipse.paho.mqttv5.client.MqttAsyncClient;
import org.eclipse.paho.mqttv5.client.MqttCallback;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.client.MqttDisconnectResponse;
import org.eclipse.paho.mqttv5.client.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.common.MqttException;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.jspecify.annotations.Nullable;

/** Eclipse Paho for Java with MQTT 5. */
final class Paho5 extends ForeignClient {
    private static final long PATIENCE_MILLIS = PATIENCE_SECONDS * 1_000L;
    private static final int FIRST_ERROR = 0x80;

    private final Setup setup;
    private final MqttAsyncClient client;

    Paho5(Setup setup) throws MqttException {
        this.setup = setup;
        client = new MqttAsyncClient(setup.url(), setup.clientId(), new MemoryPersistence());
        client.setCallback(new Callback());
    }

    @Override
    boolean connect() throws MqttException {
        MqttConnectionOptions options = new MqttConnectionOptions();
        options.setCleanStart(setup.clean());
        options.setSessionExpiryInterval((long) setup.expirySeconds());
        options.setKeepAliveInterval(setup.keepAliveSeconds());
        options.setAutomaticReconnect(false);
        options.setTopicAliasMaximum(setup.aliases());
        if (setup.isSecured()) {
            options.setSocketFactory(SecuredBroker.secured().sockets());
            options.setUserName(Secured.USER);
            options.setPassword(Secured.PASSWORD.getBytes(UTF_8));
        }
        Note will = setup.will();
        if (will != null) {
            options.setWill(will.topic(), message(will));
        }
        return await(client.connect(options)).getSessionPresent();
    }

    @Override
    int subscribe(String filter, int qos) throws MqttException {
        return await(client.subscribe(filter, qos)).getReasonCodes()[0];
    }

    @Override
    int unsubscribe(String filter) throws MqttException {
        return await(client.unsubscribe(filter)).getReasonCodes()[0];
    }

    @Override
    int publish(Note note) throws MqttException {
        try {
            int[] reasons = await(client.publish(note.topic(), message(note))).getReasonCodes();
            return reasons == null || reasons.length == 0 ? 0 : reasons[0];
        } catch (MqttException refused) {
            if (refused.getReasonCode() < FIRST_ERROR) { // the library's own
                throw refused;
            }
            return refused.getReasonCode();
        }
    }

    @Override
    void disconnect() throws MqttException {
        await(client.disconnect());
    }

    @Override
    public void close() {
        try {
            if (client.isConnected()) {
                await(client.disconnect(0));
            }
            client.close(true);
        } catch (MqttException ignored) {
            // what it holds ends with the tests
        }
    }

    private static MqttMessage message(Note note) {
        MqttProperties properties = new MqttProperties();
        properties.setUserProperties(note.properties().user().entrySet().stream()
                .map(entry -> new UserProperty(entry.getKey(), entry.getValue()))
                .toList());
        properties.setContentType(note.properties().contentType());
        properties.setResponseTopic(note.properties().responseTopic());
        String correlation = note.properties().correlation();
        if (correlation != null) {
            properties.setCorrelationData(correlation.getBytes(UTF_8));
        }
        properties.setMessageExpiryInterval(note.properties().expirySeconds());
        return new MqttMessage(note.payload(), note.qos(), note.retain(), properties);
    }

    private static <T extends IMqttToken> T await(T token) throws MqttException {
        token.waitForCompletion(PATIENCE_MILLIS);
        return token;
    }

    private final class Callback implements MqttCallback {
        private final Map<Integer, String> aliases = new HashMap<>();

        @Override
        public void messageArrived(String topic, MqttMessage message) {
            MqttProperties properties = message.getProperties();
            byte[] correlation = properties.getCorrelationData();
            arrived(new Note(
                    fullTopic(topic, properties.getTopicAlias()),
                    message.getPayload(),
                    message.getQos(),
                    message.isRetained(),
                    new Note.Properties(
                            user(properties.getUserProperties()),
                            properties.getContentType(),
                            properties.getResponseTopic(),
                            correlation == null ? null : new String(correlation, UTF_8),
                            properties.getMessageExpiryInterval())));
        }

        @Override
        public void disconnected(MqttDisconnectResponse response) {
            lost(response.getReturnCode() == 0 ? NO_REASON : response.getReturnCode());
        }

        @Override
        public void mqttErrorOccurred(MqttException exception) {}

        @Override
        public void deliveryComplete(IMqttToken token) {}

        @Override
        public void connectComplete(boolean reconnect, String serverUri) {}

        @Override
        public void authPacketArrived(int reasonCode, MqttProperties properties) {}

        /** The library hands aliases over as they come, and their topics empty. */
        private String fullTopic(String topic, @Nullable Integer alias) {
            if (alias != null && !topic.isEmpty()) {
                aliases.put(alias, topic);
            }
            return topic.isEmpty() ? aliases.getOrDefault(alias, topic) : topic;
        }

        private static Map<String, String> user(List<UserProperty> properties) {
            Map<String, String> user = new LinkedHashMap<>();
            properties.forEach(property -> user.put(property.getKey(), property.getValue()));
            return user;
        }
    }
}
