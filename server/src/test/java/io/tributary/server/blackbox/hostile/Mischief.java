package io.tributary.server.blackbox.hostile;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Disconnect;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Unsubscribe;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What MQTT allows and nobody needs, as large as it may be by the broker's default limits, and now and then larger.
 * Each act opens a connection or more of its own, and ends when the broker closes it.
 */
enum Mischief {
    /**
     * Shared subscriptions with names as long as topics, to what others publish too: each has its own copy of
     * everything.
     */
    LONG_SHARE_NAMES {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(1_024), Villain.LONG, 65_535)) {
                int length = villain.any(200, 1_000, 1_024, 8_000, 65_500);
                for (int i = 0; i < 16; i++) {
                    String filter = villain.any("#", "good/#", "villain/#");
                    client.send(villain.subscribe("$share/" + Villain.name(length, i) + "/" + filter));
                    client.expect(Suback.class);
                }
                villain.read(client, Duration.ofSeconds(1));
            }
        }
    },
    /** A thousand filters with as many levels as there may be. */
    MANY_FILTERS {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(100), Villain.SHORT, 1)) {
                for (int packet = 0; packet < 10; packet++) {
                    String[] filters = new String[100];
                    for (int i = 0; i < filters.length; i++) {
                        filters[i] = villain.deepFilter(packet * filters.length + i);
                    }
                    client.send(villain.subscribe(filters));
                    client.expect(Suback.class);
                }
                client.send(Packets.publish(Villain.deepTopic(), new byte[10], QoS.AT_LEAST_ONCE, 1));
                villain.read(client, Duration.ofMillis(300));
            }
        }
    },
    LONG_FILTERS {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(1_024), Villain.LONG, 10)) {
                for (int i = 0; i < 14; i++) {
                    client.send(villain.subscribe(Villain.name(villain.any(1_000, 1_024, 65_000), i) + "/#"));
                    client.expect(Suback.class);
                }
                client.send(new Unsubscribe(2, List.of(Villain.name(65_000, 0) + "/#"), List.of()));
                villain.read(client, Duration.ofMillis(100));
            }
        }
    },
    /** The largest packets: topic, properties and payload. */
    LARGE_MESSAGES {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(1_024), Villain.SHORT, 65_535)) {
                for (int i = 1; i <= 4; i++) {
                    client.send(villain.largeMessage(i));
                    if (villain.random().nextInt(8) > 0) {
                        client.expect(MqttPacket.class); // PUBACK, or a PUBREC after which nothing comes
                    }
                }
            }
        }
    },
    /** A CONNECT that is all will, and no DISCONNECT. */
    LARGE_WILLS {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.open()) {
                client.connect(villain.connectWithWill());
            }
        }
    },
    /** Subscribers to everything that acknowledge nothing, and are away most of the time. */
    NEVER_ACKNOWLEDGING {
        @Override
        void act(Villain villain) throws IOException {
            int receiveMaximum = villain.any(1, 65_535);
            try (TestClient client = villain.connect(villain.clientId(1_024), Villain.LONG, receiveMaximum)) {
                client.send(villain.subscribe("#"));
                villain.read(client, Duration.ofSeconds(2));
            }
        }
    },
    /** Takes QoS 2 messages as far as PUBREC. */
    NEVER_COMPLETING {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(500), Villain.LONG, 65_535)) {
                client.send(villain.subscribe("good/#", "villain/#"));
                villain.read(
                        client,
                        Duration.ofSeconds(1),
                        packet -> packet instanceof MqttPacket.Publish publish && publish.qos() == QoS.EXACTLY_ONCE
                                ? new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of())
                                : null);
            }
        }
    },
    /** Many connections with one client identifier, at all nodes at once. */
    TAKEOVERS {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect("taken-over", Villain.SHORT, 65_535)) {
                client.send(villain.subscribe("villain/#"));
                client.send(Packets.publish("villain/takeover", new byte[100], QoS.EXACTLY_ONCE, 1));
                villain.read(client, Duration.ofMillis(villain.random().nextInt(50)));
            }
        }
    },
    /** CONNECTs that are cut off, or whose connection ends before the answer. */
    CUT_CONNECTS {
        @Override
        void act(Villain villain) throws IOException {
            byte[] connect = Wire.connect(villain.any(3, 4, 5), villain.clientId(1_024));
            int length = villain.random().nextBoolean()
                    ? connect.length
                    : villain.random().nextInt(connect.length);
            for (int i = 0; i < 5; i++) {
                try (TestClient client = villain.open()) {
                    client.sendBytes(Arrays.copyOf(connect, length));
                }
            }
        }
    },
    /** Clients without keep alive that say nothing, with a session that never ends. */
    IDLE {
        @Override
        void act(Villain villain) throws IOException {
            try (TestClient client = villain.connect(villain.clientId(1_024), Villain.FOREVER, 65_535)) {
                client.send(villain.subscribe("nothing/at/all"));
                villain.read(client, Duration.ofSeconds(3));
                client.send(new Disconnect(ReasonCode.SUCCESS, 0, null, null, List.of()));
                client.awaitClose();
            }
        }
    };

    abstract void act(Villain villain) throws IOException;
}
