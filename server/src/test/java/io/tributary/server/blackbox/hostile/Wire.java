package io.tributary.server.blackbox.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.common.mqtt.QoS;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Bytes that no client library sends. */
final class Wire {
    private static final int CONNECT = 0x10;
    private static final int PUBLISH = 0x30;

    private Wire() {}

    /** A CONNECT of MQTT 3.1.1 with a clean session and no keep alive. */
    static byte[] connect(String clientId) {
        return connect(4, clientId);
    }

    /** The same for a protocol level: 3, 4 or 5. */
    static byte[] connect(int level, String clientId) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        text(body, level == 3 ? "MQIsdp" : "MQTT");
        body.write(level);
        body.write(2);
        body.write(0);
        body.write(0);
        if (level == 5) {
            body.write(0);
        }
        text(body, clientId);
        return packet(CONNECT, body.size(), body.toByteArray());
    }

    /** A PUBLISH of MQTT 3.1.1. */
    static byte[] publish(String topic, byte[] payload, QoS qos) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        text(body, topic);
        if (qos.isAcknowledged()) {
            body.write(0);
            body.write(1);
        }
        body.writeBytes(payload);
        return packet(PUBLISH | (qos.code() << 1), body.size(), body.toByteArray());
    }

    /** The beginning of a PUBLISH that says it is longer than it is. */
    static byte[] unfinishedPublish(int announced, int sent) {
        byte[] whole = publish("unfinished", new byte[announced], QoS.AT_MOST_ONCE);
        return Arrays.copyOf(whole, sent);
    }

    /** A packet whose remaining length is as given, whatever follows. */
    static byte[] packet(int firstByte, int remainingLength, byte[] body) {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(firstByte);
        int left = remainingLength;
        for (; left > 127; left >>= 7) {
            packet.write((left & 127) | 128);
        }
        packet.write(left);
        packet.writeBytes(body);
        return packet.toByteArray();
    }

    private static void text(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        out.write(bytes.length >> 8);
        out.write(bytes.length);
        out.writeBytes(bytes);
    }
}
