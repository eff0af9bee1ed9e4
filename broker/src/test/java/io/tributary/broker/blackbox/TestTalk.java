package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Pingreq;
import io.tributary.common.mqtt.MqttPacket.Pingresp;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What tests most often have a {@link TestClient} say, and wait for; with QoS 1. */
public final class TestTalk {
    private TestTalk() {}

    /** Subscribes, and gives the answer. */
    public static ReasonCode subscribe(TestClient client, String filter) throws IOException {
        return subscribe(client, filter, QoS.AT_LEAST_ONCE);
    }

    /** The same with another QoS. */
    public static ReasonCode subscribe(TestClient client, String filter, QoS qos) throws IOException {
        Subscription asked = new Subscription(filter, qos, false, false, RetainHandling.SEND);
        client.send(new Subscribe(1, List.of(asked), 0, List.of()));
        return client.expect(Suback.class).reasons().getFirst();
    }

    /** Publishes, and waits until that is acknowledged. */
    public static void publish(TestClient client, String topic, String payload, boolean retain) throws IOException {
        client.send(packet(topic, payload, retain, 0));
        assertThat(client.expect(Puback.class).reason().isError()).isFalse();
    }

    /** A PUBLISH with the packet identifier 1. */
    public static Publish packet(String topic, String payload, boolean retain, int alias) {
        return packet(topic, payload, QoS.AT_LEAST_ONCE, retain, alias);
    }

    /** The same with another QoS; without a packet identifier where that has none. */
    public static Publish packet(String topic, String payload, QoS qos, boolean retain, int alias) {
        return publication(topic, payload, qos, retain, 1, alias);
    }

    /** The same with another packet identifier, and no topic alias. */
    public static Publish publication(String topic, String payload, QoS qos, boolean retain, int packetId) {
        return publication(topic, payload, qos, retain, packetId, 0);
    }

    private static Publish publication(String topic, String payload, QoS qos, boolean retain, int packetId, int alias) {
        return new Publish(
                topic,
                payload.getBytes(UTF_8),
                qos,
                retain,
                false,
                qos.isAcknowledged() ? packetId : 0,
                alias,
                MqttPacket.ABSENT,
                PublishProperties.NONE,
                List.of());
    }

    /** The next message, {@code TOPIC: PAYLOAD}, which is acknowledged. */
    public static String take(TestClient client) throws IOException {
        Publish message = client.expect(Publish.class);
        client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
        return message.topic() + ": " + new String(message.payload(), UTF_8);
    }

    /** The topics of the next messages, which are acknowledged where they have QoS 1. */
    public static List<String> topics(TestClient client, int count) throws IOException {
        List<String> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Publish message = client.expect(Publish.class);
            topics.add(message.topic());
            if (message.qos() == QoS.AT_LEAST_ONCE) {
                client.send(new Puback(message.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
        }
        return topics;
    }

    /** Neither before an answer of the broker nor for a moment after it. */
    public static void assertNothingMoreComes(TestClient client) throws IOException {
        client.send(new Pingreq());
        client.expect(Pingresp.class);
        assertThat(client.poll(Duration.ofMillis(300))).isNull();
    }
}
