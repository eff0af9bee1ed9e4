package io.tributary.broker.blackbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.Mqtt5Client;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5ConnAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5PubAckException;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5SubAckException;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.tributary.broker.Broker;
import io.tributary.broker.BrokerConfig;
import io.tributary.broker.BrokerExtensions;
import io.tributary.broker.extension.ClientListener;
import io.tributary.broker.extension.PublishInterceptor;
import io.tributary.broker.extension.SubscribeInterceptor;
import io.tributary.broker.metrics.BrokerMetrics;
import io.tributary.broker.network.ListenerConfig;
import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.Subscription;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A platform that has the broker in its own process: it decides who may do what, changes what goes through, hears who
 * comes and goes, and publishes and subscribes without a connection. An example to copy from.
 */
class EmbeddedBrokerTest {
    private static final int PATIENCE_SECONDS = 10;

    private final BlockingQueue<String> comings = new LinkedBlockingQueue<>();

    @TempDir
    private Path data;

    private Broker broker;

    @BeforeEach
    void start() {
        BrokerConfig config = BrokerConfig.builder(data)
                .listener(ListenerConfig.tcp("tcp", 0))
                .build();
        BrokerExtensions extensions = BrokerExtensions.builder()
                .authenticator(new PlatformPasswords())
                .authorizer(new OwnBranchOnly())
                .publishInterceptor(new UpperCase())
                .subscribeInterceptor(new NothingExactlyOnce())
                .clientListener(new Comings())
                .build();
        broker = Broker.start(config, extensions, BrokerMetrics.unregistered());
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    /**
     * Lets in who has the right password. A real one asks its own services, and completes the stage when they answer.
     */
    private static final class PlatformPasswords implements Authenticator {
        @Override
        public CompletionStage<Result> authenticate(ClientInfo client, byte @Nullable [] password) {
            boolean right = Arrays.equals("secret".getBytes(UTF_8), password);
            return CompletableFuture.completedFuture(
                    right ? new Accepted() : new Refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, "not the password"));
        }
    }

    /** A client may use the topics below its own name, and read what is for all. */
    private static final class OwnBranchOnly implements Authorizer {
        @Override
        public boolean mayPublish(ClientInfo client, String topic, QoS qos, boolean retain) {
            return topic.startsWith(client.clientId() + "/");
        }

        @Override
        public boolean maySubscribe(ClientInfo client, String topicFilter, QoS qos) {
            return topicFilter.startsWith(client.clientId() + "/") || topicFilter.startsWith("all/");
        }

        @Override
        public boolean mayReceive(ClientInfo client, String topic) {
            return !topic.endsWith("/confidential");
        }
    }

    /** Changes what clients publish, drops it, or refuses it. */
    private static final class UpperCase implements PublishInterceptor {
        @Override
        public PublishInterceptor.Decision onPublish(ClientInfo publisher, Message message) {
            String text = new String(message.payload(), UTF_8);
            return switch (text) {
                case "drop me" -> new PublishInterceptor.Drop();
                case "refuse me" ->
                    new PublishInterceptor.Refuse(ReasonCode.PAYLOAD_FORMAT_INVALID, "not in the right words");
                default -> new PublishInterceptor.Proceed(message(message.topic(), text.toUpperCase(Locale.ROOT)));
            };
        }
    }

    /** Grants less than was asked for. */
    private static final class NothingExactlyOnce implements SubscribeInterceptor {
        @Override
        public SubscribeInterceptor.Decision onSubscribe(ClientInfo client, Subscription asked) {
            return new SubscribeInterceptor.Proceed(
                    asked.withMaximumQos(asked.maximumQos().min(QoS.AT_LEAST_ONCE)));
        }
    }

    /** Hears who comes and goes. */
    private final class Comings implements ClientListener {
        @Override
        public void onConnected(ClientInfo client, boolean sessionPresent) {
            comings.add(client.clientId() + " came");
        }

        @Override
        public void onDisconnected(ClientInfo client, ReasonCode reason) {
            comings.add(client.clientId() + " left: " + reason);
        }
    }

    @Test
    void refusesClientWhenPasswordIsWrong() {
        assertThatThrownBy(() -> connect("meter", "guess"))
                .isInstanceOfSatisfying(
                        Mqtt5ConnAckException.class,
                        refusal -> assertThat(
                                        refusal.getMqttMessage().getReasonCode().getCode())
                                .isEqualTo(ReasonCode.BAD_USER_NAME_OR_PASSWORD.code()));
    }

    @Test
    void tellsWhoComesAndGoesWhenClientsConnect() throws InterruptedException {
        Mqtt5BlockingClient meter = connect("meter", "secret");
        assertThat(comings.poll(PATIENCE_SECONDS, SECONDS)).isEqualTo("meter came");
        assertThat(broker.status().connections()).isEqualTo(1);
        meter.disconnect();
        assertThat(comings.poll(PATIENCE_SECONDS, SECONDS)).isEqualTo("meter left: SUCCESS");
    }

    @Test
    void hearsClientsWhenSubscribedInProcess() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        Mqtt5BlockingClient meter = connect("meter", "secret");
        try (AutoCloseable _ = broker.subscribe("+/power", QoS.AT_LEAST_ONCE, message -> heard.add(text(message)))) {
            publish(meter, "meter/power", "drop me");
            assertThatThrownBy(() -> publish(meter, "meter/power", "refuse me"))
                    .isInstanceOf(Mqtt5PubAckException.class);
            publish(meter, "meter/power", "four kilowatts");
            assertThat(heard.poll(PATIENCE_SECONDS, SECONDS)).isEqualTo("meter/power FOUR KILOWATTS");
        }
        publish(meter, "meter/power", "unheard");
        assertThat(heard).isEmpty();
        meter.disconnect();
    }

    @Test
    void reachesClientsWhenPublishedInProcess() throws Exception {
        Mqtt5BlockingClient meter = connect("meter", "secret");
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = meter.publishes(MqttGlobalPublishFilter.ALL)) {
            int granted = meter.subscribeWith()
                    .topicFilter("all/#")
                    .qos(MqttQos.EXACTLY_ONCE)
                    .send()
                    .getReasonCodes()
                    .getFirst()
                    .getCode();
            assertThat(granted).as("QoS").isEqualTo(1);
            assertThat(publishInProcess("all/confidential", "not for you")).isFalse();
            assertThat(publishInProcess("all/news", "sunny")).isTrue();
            assertThat(publishInProcess("nobody/listens", "hello?")).isFalse();
            Mqtt5Publish news =
                    publishes.receive(PATIENCE_SECONDS, TimeUnit.SECONDS).orElseThrow();
            assertThat(new String(news.getPayloadAsBytes(), UTF_8)).isEqualTo("sunny");
        }
        meter.disconnect();
    }

    @Test
    void keepsClientsApartWhenTheyMayNot() {
        Mqtt5BlockingClient meter = connect("meter", "secret");
        assertThatThrownBy(() -> publish(meter, "heating/command", "off")).isInstanceOf(Mqtt5PubAckException.class);
        assertThatThrownBy(() -> meter.subscribeWith().topicFilter("heating/#").send())
                .isInstanceOf(Mqtt5SubAckException.class);
        meter.disconnect();
    }

    @Test
    void keepsMessagesWhenStartedAgain() throws Exception {
        connectPersistent("meter").disconnect();
        assertThat(publishInProcess("all/news", "while you were away")).isTrue();
        await().until(() -> broker.status().queuedMessages() == 1);
        broker.close();
        start();
        Mqtt5BlockingClient meter = client("meter");
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = meter.publishes(MqttGlobalPublishFilter.ALL)) {
            meter.connectWith()
                    .cleanStart(false)
                    .simpleAuth()
                    .username("meter")
                    .password("secret".getBytes(UTF_8))
                    .applySimpleAuth()
                    .send();
            Mqtt5Publish news =
                    publishes.receive(PATIENCE_SECONDS, TimeUnit.SECONDS).orElseThrow();
            assertThat(new String(news.getPayloadAsBytes(), UTF_8)).isEqualTo("while you were away");
        }
        meter.disconnect();
    }

    private boolean publishInProcess(String topic, String text) throws Exception {
        return broker.publish(message(topic, text)).toCompletableFuture().get(PATIENCE_SECONDS, SECONDS);
    }

    private Mqtt5BlockingClient client(String clientId) {
        return Mqtt5Client.builder()
                .identifier(clientId)
                .serverHost("127.0.0.1")
                .serverPort(broker.listeners().getFirst().address().getPort())
                .buildBlocking();
    }

    private Mqtt5BlockingClient connect(String clientId, String password) {
        Mqtt5BlockingClient client = client(clientId);
        client.connectWith()
                .simpleAuth()
                .username(clientId)
                .password(password.getBytes(UTF_8))
                .applySimpleAuth()
                .send();
        return client;
    }

    private Mqtt5BlockingClient connectPersistent(String clientId) {
        Mqtt5BlockingClient client = client(clientId);
        client.connectWith()
                .cleanStart(false)
                .sessionExpiryInterval(3_600)
                .simpleAuth()
                .username(clientId)
                .password("secret".getBytes(UTF_8))
                .applySimpleAuth()
                .send();
        client.subscribeWith().topicFilter("all/#").send();
        return client;
    }

    private static void publish(Mqtt5BlockingClient client, String topic, String text) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(text.getBytes(UTF_8))
                .send();
    }

    private static Message message(String topic, String text) {
        return Message.of(topic, text.getBytes(UTF_8), QoS.AT_LEAST_ONCE);
    }

    private static String text(Message message) {
        return message.topic() + " " + new String(message.payload(), UTF_8);
    }
}
