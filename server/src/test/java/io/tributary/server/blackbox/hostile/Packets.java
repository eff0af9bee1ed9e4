package io.tributary.server.blackbox.hostile;

import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.util.Arrays;
import java.util.List;

/** Packets with what these tests care about, and defaults for all else. */
final class Packets {
    private Packets() {}

    static Subscribe subscribe(int packetId, String filter, QoS qos) {
        return subscribe(packetId, qos, filter);
    }

    static Subscribe subscribe(int packetId, QoS qos, String... filters) {
        List<Subscription> subscriptions = Arrays.stream(filters)
                .map(filter -> new Subscription(filter, qos, false, false, RetainHandling.SEND))
                .toList();
        return new Subscribe(packetId, subscriptions, 0, List.of());
    }

    static Publish publish(String topic, byte[] payload, QoS qos, int packetId) {
        return publish(topic, payload, qos, packetId, List.of());
    }

    static Publish retained(String topic, byte[] payload) {
        PublishProperties none = new PublishProperties(null, null, null, null, List.of());
        return new Publish(topic, payload, QoS.AT_LEAST_ONCE, true, false, 1, 0, MqttPacket.ABSENT, none, List.of());
    }

    static Publish publish(String topic, byte[] payload, QoS qos, int packetId, List<UserProperty> user) {
        return new Publish(
                topic,
                payload,
                qos,
                false,
                false,
                qos.isAcknowledged() ? packetId : 0,
                0,
                MqttPacket.ABSENT,
                new PublishProperties(null, null, null, null, user),
                List.of());
    }
}
