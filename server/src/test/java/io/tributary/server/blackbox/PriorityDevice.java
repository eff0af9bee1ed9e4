package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Connect;
import io.tributary.common.mqtt.MqttPacket.ConnectProperties;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.common.mqtt.UserProperty;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A device with a persistent session that messages of all priorities wait for, as their publisher says by a user
 * property. It notes the first copy of each, and which of QoS 2 came twice. Not thread-safe.
 */
public final class PriorityDevice {
    /** The user property with the priority. */
    public static final String PROPERTY = "priority";

    private static final int PRIORITIES = 4;
    private static final long EXPIRY_SECONDS = 3_600;

    private final String clientId;
    private final Set<String> firsts = new LinkedHashSet<>();
    private final List<String> twice = new ArrayList<>();
    private final Set<Integer> received = new HashSet<>();

    /** Begins the session, at the node with this port, and leaves. */
    public PriorityDevice(int port, String clientId) throws IOException {
        this.clientId = clientId;
        try (TestClient client = connect(port, 10)) {
            Subscription all = new Subscription(clientId + "/#", QoS.EXACTLY_ONCE, false, false, RetainHandling.SEND);
            client.send(new Subscribe(1, List.of(all), 0, List.of()));
            client.expect(Suback.class);
        }
    }

    private TestClient connect(int port, int receiveMaximum) throws IOException {
        ConnectProperties properties = new ConnectProperties(
                EXPIRY_SECONDS, receiveMaximum, Integer.MAX_VALUE >> 3, 0, false, true, null, null, List.of());
        TestClient client = TestClient.open(port, ProtocolVersion.MQTT_5);
        client.connect(new Connect(ProtocolVersion.MQTT_5, false, 0, clientId, null, null, null, properties));
        return client;
    }

    /** Publishes messages for the device, of the priorities 0 to 3 in turn, and half of them at QoS 2. */
    public void publish(int port, int from, int to) throws IOException {
        try (TestClient publisher = TestClient.connect(port, ProtocolVersion.MQTT_5, clientId + "-publisher", 0)) {
            for (int i = from; i < to; i++) {
                QoS qos = i / PRIORITIES % 2 == 0 ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
                publisher.send(message(i, qos));
                if (qos == QoS.AT_LEAST_ONCE) {
                    publisher.expect(Puback.class);
                } else {
                    publisher.expect(Pubrec.class);
                    publisher.send(new Pubrel(1, ReasonCode.SUCCESS, null, List.of()));
                    publisher.expect(Pubcomp.class);
                }
            }
        }
    }

    private Publish message(int number, QoS qos) {
        int priority = number % PRIORITIES;
        UserProperty said = new UserProperty(PROPERTY, Integer.toString(priority));
        PublishProperties properties = new PublishProperties(null, null, null, null, List.of(said));
        byte[] payload = (priority + ":" + number).getBytes(UTF_8);
        return new Publish(clientId + "/t", payload, qos, false, false, 1, 0, -1, properties, List.of());
    }

    /**
     * Connects and takes messages until there are so many first copies, then closes the connection without DISCONNECT.
     *
     * @param meanwhile run when half of what is missing is here
     */
    public void takeUntil(int port, int count, Duration patience, Runnable meanwhile) throws IOException {
        int half = (firsts.size() + count) / 2;
        boolean isRun = false;
        try (TestClient client = connect(port, 10)) {
            while (firsts.size() < count) {
                MqttPacket packet = client.poll(patience);
                if (packet == null) {
                    throw new AssertionError("nothing came for " + patience + ", after " + firsts.size() + " messages");
                }
                take(client, packet);
                if (!isRun && firsts.size() >= half) {
                    isRun = true;
                    meanwhile.run();
                }
            }
        }
    }

    private void take(TestClient client, MqttPacket packet) throws IOException {
        switch (packet) {
            case Publish publish
            when publish.qos() == QoS.AT_LEAST_ONCE -> {
                firsts.add(text(publish));
                client.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Publish publish -> {
                if (received.add(publish.packetId()) && !firsts.add(text(publish))) {
                    twice.add(text(publish));
                }
                client.send(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Pubrel pubrel -> {
                received.remove(pubrel.packetId());
                client.send(new Pubcomp(pubrel.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            default -> {} // nothing else is asked for
        }
    }

    private static String text(Publish publish) {
        return new String(publish.payload(), UTF_8);
    }

    /** The first copies, as they came: priority and number of each, {@code 3:7}. */
    public List<String> firsts() {
        return List.copyOf(firsts);
    }

    /** Those of QoS 2 that came again. */
    public List<String> twice() {
        return List.copyOf(twice);
    }

    /** The numbers of the messages of a priority, as they came. */
    public List<Integer> numbersOf(int priority) {
        return firsts.stream()
                .filter(text -> text.startsWith(priority + ":"))
                .map(text -> Integer.valueOf(text.substring(2)))
                .toList();
    }

    /** All messages up to a number, the highest priority first and each in order. */
    public static List<String> byPriority(int count) {
        List<String> all = new ArrayList<>();
        for (int priority = PRIORITIES - 1; priority >= 0; priority--) {
            for (int i = priority; i < count; i += PRIORITIES) {
                all.add(priority + ":" + i);
            }
        }
        return all;
    }
}
