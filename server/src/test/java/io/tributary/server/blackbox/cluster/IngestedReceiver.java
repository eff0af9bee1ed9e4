package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Pubcomp;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Pubrec;
import io.tributary.common.mqtt.MqttPacket.Pubrel;
import io.tributary.common.mqtt.ReasonCode;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A QoS 2 subscriber of messages whose payload is a number, counted from 0 on each topic. It finds fault with one that
 * is missing, comes twice or out of order, the moment it sees it. One thread.
 */
final class IngestedReceiver {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final TestClient client;
    private final Set<Integer> unreleased = new HashSet<>();
    private final Map<String, Integer> next = new HashMap<>();
    private int count;

    IngestedReceiver(TestClient client) {
        this.client = client;
    }

    /** Takes what comes until there were so many messages in all, but no longer than that. */
    void receive(int total, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (count < total && System.nanoTime() < deadline) {
            take(client.poll(LOOK));
        }
        assertThat(count).as("messages received, of each topic %s", next).isGreaterThanOrEqualTo(total);
    }

    int count() {
        return count;
    }

    private void take(@Nullable MqttPacket packet) throws IOException {
        switch (packet) {
            case null -> {}
            case Publish publish -> {
                if (unreleased.add(publish.packetId())) {
                    note(publish);
                }
                client.send(new Pubrec(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            case Pubrel pubrel -> {
                unreleased.remove(pubrel.packetId());
                client.send(new Pubcomp(pubrel.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
            default -> throw new AssertionError("unexpected: " + packet);
        }
    }

    private void note(Publish publish) {
        int number = Integer.parseInt(new String(publish.payload(), UTF_8));
        int expected = next.merge(publish.topic(), 1, Integer::sum) - 1;
        assertThat(number)
                .as("the number of the message on %s", publish.topic())
                .isEqualTo(expected);
        count++;
    }
}
