package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.connection.ListenerConfig;
import io.tributary.common.mqtt.MqttPacket;
import io.tributary.common.mqtt.MqttPacket.Puback;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.MqttPacket.Suback;
import io.tributary.common.mqtt.MqttPacket.Subscribe;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.Subscription;
import io.tributary.common.mqtt.Subscription.RetainHandling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The list of files that a newcomer reads to follow a PUBLISH, in docs/architecture.md: short, true, and walked. */
class PublishWalkTest {
    private static final Path ROOT = Path.of("..");
    private static final int MOST_FILES = 8;

    /** "3. `broker/session/InboundFlow` - alias, ...": module, packages, class. */
    private static final Pattern STEP = Pattern.compile("(?m)^\\d+\\. `((\\w+)/[\\w/]+)`");

    @TempDir
    private Path data;

    @Test
    void namesAtMostEightFilesThatExistWhenDescribed() throws IOException {
        List<MatchResult> steps = steps();
        assertThat(steps).hasSizeBetween(1, MOST_FILES);
        for (MatchResult step : steps) {
            Path file = ROOT.resolve(step.group(2))
                    .resolve("src/main/java/io/tributary")
                    .resolve(step.group(1) + ".java");
            assertThat(file).exists();
        }
    }

    @Test
    void bringsMessageToPersistentSubscriberWhenWalked() throws IOException {
        BrokerConfig config = BrokerConfig.defaults(data).withListeners(ListenerConfig.tcp("tcp", 0));
        try (Broker broker = Broker.start(config)) {
            int port = broker.listeners().getFirst().address().getPort();
            try (TestClient subscriber = TestClient.connect(port, ProtocolVersion.MQTT_5, "subscriber", 60);
                    TestClient publisher = TestClient.connect(port, ProtocolVersion.MQTT_5, "publisher", 0)) {
                Subscription all = new Subscription("walk/#", QoS.AT_LEAST_ONCE, false, false, RetainHandling.SEND);
                subscriber.send(new Subscribe(1, List.of(all), 0, List.of()));
                subscriber.expect(Suback.class);
                publisher.send(new Publish(
                        "walk/a",
                        "hello".getBytes(UTF_8),
                        QoS.AT_LEAST_ONCE,
                        false,
                        false,
                        1,
                        0,
                        MqttPacket.ABSENT,
                        PublishProperties.NONE,
                        List.of()));
                publisher.expect(Puback.class);
                Publish received = subscriber.expect(Publish.class);
                assertThat(received.topic()).isEqualTo("walk/a");
                assertThat(new String(received.payload(), UTF_8)).isEqualTo("hello");
            }
        }
    }

    /** The numbered list in the section on the walk. */
    private static List<MatchResult> steps() throws IOException {
        String text = Files.readString(ROOT.resolve("docs/architecture.md"));
        int begin = text.indexOf("## The PUBLISH walk");
        assertThat(begin).as("the section on the walk").isNotNegative();
        int end = text.indexOf("\n## ", begin + 1);
        return STEP.matcher(text.substring(begin, end < 0 ? text.length() : end))
                .results()
                .toList();
    }
}
