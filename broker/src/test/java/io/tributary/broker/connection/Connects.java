package io.tributary.broker.connection;

import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts CONNECT packets together; by default a clean start of MQTT 5 by the client {@code c}. */
final class Connects {
    private ProtocolVersion version = ProtocolVersion.MQTT_5;
    private boolean cleanStart = true;
    private int keepAlive;
    private String clientId = "c";
    private @Nullable Will will;
    private long expiry;
    private int receiveMaximum = 65_535;
    private int maximumPacketSize = ConnectProperties.LARGEST_PACKET;
    private int aliasMaximum;
    private boolean responseInformation;
    private boolean problemInformation = true;
    private @Nullable String method;
    private final List<UserProperty> userProperties = new ArrayList<>();

    static Connects v5() {
        return new Connects();
    }

    static Connects v3() {
        Connects connects = new Connects();
        connects.version = ProtocolVersion.MQTT_3_1_1;
        return connects;
    }

    static Connects v31() {
        Connects connects = new Connects();
        connects.version = ProtocolVersion.MQTT_3_1;
        return connects;
    }

    /** A session that lasts. */
    Connects durable() {
        cleanStart = false;
        expiry = version.isMqtt5() ? 300 : ConnectProperties.NEVER_EXPIRES;
        return this;
    }

    Connects clientId(String value) {
        clientId = value;
        return this;
    }

    Connects keepAlive(int seconds) {
        keepAlive = seconds;
        return this;
    }

    Connects expiry(long seconds) {
        expiry = seconds;
        return this;
    }

    Connects keepSession() {
        cleanStart = false;
        return this;
    }

    Connects receiveMaximum(int value) {
        receiveMaximum = value;
        return this;
    }

    Connects maximumPacketSize(int value) {
        maximumPacketSize = value;
        return this;
    }

    Connects aliasMaximum(int value) {
        aliasMaximum = value;
        return this;
    }

    Connects responseInformation() {
        responseInformation = true;
        return this;
    }

    Connects noProblemInformation() {
        problemInformation = false;
        return this;
    }

    Connects userProperty(String name, String value) {
        userProperties.add(new UserProperty(name, value));
        return this;
    }

    Connects method(String value) {
        method = value;
        return this;
    }

    Connects will(String topic, PublishProperties properties, byte[] payload) {
        Message message = new Message(topic, payload, QoS.AT_LEAST_ONCE, true, properties, Message.NEVER, clientId);
        will = new Will(message, 5, 60);
        return this;
    }

    Connects will(String topic) {
        return will(topic, PublishProperties.NONE, "gone".getBytes(StandardCharsets.UTF_8));
    }

    Connect build() {
        ConnectProperties properties = new ConnectProperties(
                expiry,
                receiveMaximum,
                maximumPacketSize,
                aliasMaximum,
                responseInformation,
                problemInformation,
                method,
                null,
                userProperties);
        return new Connect(version, cleanStart, keepAlive, clientId, will, "user", null, properties);
    }
}
