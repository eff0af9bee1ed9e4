package io.tributary.server.blackbox.foreign;

import io.tributary.server.blackbox.Secured;
import org.eclipse.paho.client.mqttv3.IMqttDeliveryToken;
import org.eclipse.paho.client.mqttv3.IMqttToken;
import org.eclipse.paho.client.mqttv3.MqttAsyncClient;
import org.eclipse.paho.client.mqttv3.MqttCallback;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttMessage;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;

/** Eclipse Paho for Java with MQTT 3.1 or 3.1.1. */
final class Paho3 extends ForeignClient {
    private static final long PATIENCE_MILLIS = PATIENCE_SECONDS * 1_000L;

    private final Setup setup;
    private final int version;
    private final MqttAsyncClient client;

    /** Creates one; the version is one of {@link MqttConnectOptions}. */
    Paho3(Setup setup, int version) throws MqttException {
        this.setup = setup;
        this.version = version;
        client = new MqttAsyncClient(setup.url(), setup.clientId(), new MemoryPersistence());
        client.setCallback(new MqttCallback() {
            @Override
            public void connectionLost(Throwable cause) {
                lost(NO_REASON);
            }

            @Override
            public void messageArrived(String topic, MqttMessage message) {
                arrived(new Note(
                        topic, message.getPayload(), message.getQos(), message.isRetained(), Note.Properties.NONE));
            }

            @Override
            public void deliveryComplete(IMqttDeliveryToken token) {}
        });
    }

    @Override
    boolean connect() throws MqttException {
        MqttConnectOptions options = new MqttConnectOptions();
        options.setMqttVersion(version);
        options.setCleanSession(setup.clean());
        options.setKeepAliveInterval(setup.keepAliveSeconds());
        if (setup.isSecured()) {
            options.setSocketFactory(SecuredBroker.secured().sockets());
            options.setUserName(Secured.USER);
            options.setPassword(Secured.PASSWORD.toCharArray());
        }
        Note will = setup.will();
        if (will != null) {
            options.setWill(will.topic(), will.payload(), will.qos(), will.retain());
        }
        return await(client.connect(options)).getSessionPresent();
    }

    @Override
    int subscribe(String filter, int qos) throws MqttException {
        return await(client.subscribe(filter, qos)).getGrantedQos()[0];
    }

    @Override
    int unsubscribe(String filter) throws MqttException {
        await(client.unsubscribe(filter));
        return 0;
    }

    @Override
    int publish(Note note) throws MqttException {
        await(client.publish(note.topic(), note.payload(), note.qos(), note.retain()));
        return 0;
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

    private static <T extends IMqttToken> T await(T token) throws MqttException {
        token.waitForCompletion(PATIENCE_MILLIS);
        return token;
    }
}
