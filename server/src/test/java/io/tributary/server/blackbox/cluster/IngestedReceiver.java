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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber of messages of QoS 1 and 2 whose payload is a number, counted from 0 on each topic. It finds fault with
 * one that is missing, comes twice or out of order, the moment it sees it; repeats may be allowed. One thread.
 */
final class IngestedReceiver {
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Predicate<Publish> mayRepeat;
    private final Set<Integer> unreleased = new HashSet<>();
    private final Map<String, Integer> next = new HashMap<>();
    private TestClient client;
    private int count;
    private int repeats;

    IngestedReceiver(TestClient client) {
        this(client, _ -> false);
    }

    /** One that counts repeats of some messages, and finds no fault with them. */
    IngestedReceiver(TestClient client, Predicate<Publish> mayRepeat) {
        this.client = client;
        this.mayRepeat = mayRepeat;
    }

    /** Goes on with another connection of the same session. */
    void resume(TestClient resumed) {
        client = resumed;
    }

    /** Takes what comes until there were so many messages in all, but no longer than that. */
    void receive(int total, Duration patience) throws IOException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (count < total && System.nanoTime() < deadline && client.isOpen()) {
            take(client.poll(LOOK));
        }
        assertThat(count).as("messages received, of each topic %s", next).isGreaterThanOrEqualTo(total);
    }

    int count() {
        return count;
    }

    /** How many messages came that had come before. */
    int repeats() {
        return repeats;
    }

    private void take(@Nullable MqttPacket packet) throws IOException {
        switch (packet) {
            case null -> {}
            case Publish publish
            when publish.qos() == QoS.AT_LEAST_ONCE -> {
                note(publish);
                client.send(new Puback(publish.packetId(), ReasonCode.SUCCESS, null, List.of()));
            }
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
        int expected = next.getOrDefault(publish.topic(), 0);
        if (number < expected && (mayRepeat.test(publish) || isSentAgain(publish))) {
            repeats += isSentAgain(publish) ? 0 : 1;
            return;
        }
        assertThat(number)
                .as("the number of the message on %s", publish.topic())
                .isEqualTo(expected);
        next.put(publish.topic(), expected + 1);
        count++;
    }

    /** Whether the broker does not know whether the client has had it. */
    private static boolean isSentAgain(Publish publish) {
        return publish.qos() == QoS.AT_LEAST_ONCE && publish.dup();
    }
}
