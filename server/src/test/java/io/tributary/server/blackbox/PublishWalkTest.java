package io.tributary.server.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.TestClient;
import io.tributary.broker.blackbox.TestTalk;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import io.tributary.server.blackbox.walk.Walk;
import io.tributary.server.blackbox.walk.Walk.Hop;
import io.tributary.server.blackbox.walk.WalkDocument;
import io.tributary.server.blackbox.walk.WalkedNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The way of a PUBLISH in docs/architecture.md is the way that a message takes. */
class PublishWalkTest {
    private static final String MESSAGE = "the message that walks";
    private static final List<Hop> HOPS = List.of(
            new Hop("Event loop of the publisher", "SocketHandler", "channelRead"),
            new Hop("Writer of the log", "GroupCommitter", "run"),
            new Hop("Writer of the log", "GroupCommitter", "doLittle"),
            new Hop("Thread of the shard", "ShardThread", "run"),
            new Hop("Event loop of the subscriber", "LoopMailbox", "handle"));

    @TempDir
    private Path data;

    @Test
    void publishTakesTheWayThatIsDescribed() throws IOException {
        try (WalkedNode node = WalkedNode.alone(data)) {
            assertThat(walk(node)).containsExactlyEntriesOf(WalkDocument.read("The PUBLISH walk"));
        }
    }

    private static Map<String, List<String>> walk(WalkedNode node) throws IOException {
        try (TestClient subscriber = TestClient.connect(node.port(), ProtocolVersion.MQTT_5, "subscriber", 60);
                TestClient publisher = TestClient.connect(node.port(), ProtocolVersion.MQTT_5, "publisher", 0)) {
            Subscription all = new Subscription("walk/#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
            subscriber.send(new Subscribe(1, List.of(all), 0, List.of()));
            subscriber.expect(Suback.class);
            Walk walk = Walk.of(carried -> carried instanceof String text && text.contains(MESSAGE), HOPS);
            publisher.send(TestTalk.publication("walk/a", MESSAGE, QoS.AT_LEAST_ONCE, false, 1));
            publisher.expect(Puback.class);
            Publish received = subscriber.expect(Publish.class);
            assertThat(new String(received.payload(), UTF_8)).isEqualTo(MESSAGE);
            subscriber.send(new Puback(received.packetId(), ReasonCode.SUCCESS, null, List.of()));
            return walk.end();
        }
    }
}
