package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The receiving half of a persistent session, over any number of connections: knows what it has got and what is in
 * flight, and fails where a message comes twice at QoS 2, or at QoS 1 without DUP. One thread.
 */
final class Subscriber {
    private final String clientId;
    private final Map<QoS, List<String>> got =
            new HashMap<>(Map.of(QoS.AT_LEAST_ONCE, new ArrayList<>(), QoS.EXACTLY_ONCE, new ArrayList<>()));
    /** The messages of QoS 2 that have come and whose PUBREL has not, by packet identifier. */
    private final Map<Integer, String> begun = new HashMap<>();

    private final List<Integer> received = new ArrayList<>();
    private final List<Integer> released = new ArrayList<>();

    Subscriber(String clientId) {
        this.clientId = clientId;
    }

    String clientId() {
        return clientId;
    }

    /** What has come at this QoS, in order, each message once. */
    List<String> got(QoS qos) {
        return got.getOrDefault(qos, List.of());
    }

    /** How many different messages have come. */
    int count() {
        return got.values().stream().mapToInt(List::size).sum();
    }

    /** Notes packets, and answers none of them, until so many messages of each QoS have come. */
    void await(TestClient client, int ofEach, Duration patience) throws IOException {
        while (got(QoS.AT_LEAST_ONCE).size() < ofEach || got(QoS.EXACTLY_ONCE).size() < ofEach) {
            MqttPacket packet = client.poll(patience);
            assertThat(packet).as(clientId).isNotNull();
            note(packet);
        }
    }

    /** Sends PUBREC for the message of QoS 2 that is the longest in flight, awaits PUBREL, and does not answer that. */
    void receiveFirst(TestClient client, Duration patience) throws IOException {
        int packetId = begun.keySet().stream().min(Integer::compare).orElseThrow();
        received.add(packetId);
        client.send(new Pubrec(packetId, ReasonCode.SUCCESS, null, List.of()));
        while (!released.contains(packetId)) {
            MqttPacket packet = client.poll(patience);
            assertThat(packet).as(clientId).isNotNull();
            note(packet);
        }
    }

    /** Takes and answers what comes until none comes for some time, or so many messages have come. */
    void take(TestClient client, int most, Duration patience) throws IOException {
        MqttPacket packet = null;
        while (count() < most && (packet = client.poll(patience)) != null) {
            answer(client, packet);
        }
    }

    void answer(TestClient client, MqttPacket packet) throws IOException {
        note(packet);
        if (packet instanceof Publish publish) {
            if (publish.qos() == QoS.EXACTLY_ONCE) {
                received.add(publish.packetId());
                client.send(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            } else {
                client.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
        } else if (packet instanceof Pubrel pubrel) {
            begun.remove(pubrel.packetId());
            received.remove((Object) pubrel.packetId());
            client.send(new Pubcomp(pubrel.packetId(), ReasonCode.SUCCESS, null, List.of()));
        }
    }

    private void note(MqttPacket packet) {
        if (packet instanceof Pubrel pubrel) {
            released.add(pubrel.packetId());
        }
        if (!(packet instanceof Publish publish)) {
            return;
        }
        String text = new String(publish.payload(), UTF_8);
        if (publish.qos() == QoS.EXACTLY_ONCE) {
            String before = begun.put(publish.packetId(), text);
            if (before != null) {
                assertThat(text).as("%s, sent again", clientId).isEqualTo(before);
                assertThat(publish.dup()).as("DUP of %s", text).isTrue();
                assertThat(received)
                        .as("%s, what was answered with PUBREC", clientId)
                        .doesNotContain(publish.packetId());
                return;
            }
        } else if (publish.dup() && got(publish.qos()).contains(text)) {
            return;
        }
        assertThat(got(publish.qos())).as(clientId).doesNotContain(text);
        got(publish.qos()).add(text);
    }
}
