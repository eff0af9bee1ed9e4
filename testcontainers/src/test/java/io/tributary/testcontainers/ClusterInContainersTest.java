package io.tributary.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt3.Mqtt3AsyncClient;
import com.hivemq.client.mqtt.mqtt3.Mqtt3Client;
import com.hivemq.client.mqtt.mqtt3.Mqtt3ClientBuilder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.junit.jupiter.Testcontainers;

/** The image as three nodes of a cluster, whose containers are killed. Skipped where there is no Docker engine. */
@Testcontainers(disabledWithoutDocker = true)
class ClusterInContainersTest {
    private static final int MESSAGES_BEFORE_EACH_KILL = 200;

    private final Set<Integer> received = new LinkedHashSet<>();
    private final AtomicInteger acknowledged = new AtomicInteger();

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void nothingAcknowledgedIsLostWhenContainersAreKilled() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        try (ContainerCluster cluster = new ContainerCluster()) {
            cluster.start();
            TributaryContainer first = cluster.broker("broker-1");
            Mqtt3AsyncClient subscriber = subscriber(first);
            Mqtt3AsyncClient publisher =
                    client("publisher", cluster.broker("broker-2")).buildAsync();
            // What is on its way when a connection ends is sent again by the next one.
            publisher.connectWith().cleanSession(false).send().get(30, TimeUnit.SECONDS);
            Thread publishing = Thread.ofVirtual().start(() -> publish(publisher, ends));

            awaitAcknowledged(MESSAGES_BEFORE_EACH_KILL);
            ContainerCluster.kill(first);
            awaitAcknowledged(2 * MESSAGES_BEFORE_EACH_KILL);
            Mqtt3AsyncClient back = subscriber(cluster.broker("broker-3"));
            ContainerCluster.kill(cluster.lastOfKafka());
            awaitAcknowledged(3 * MESSAGES_BEFORE_EACH_KILL);
            ends.set(true);
            publishing.join();

            List<Integer> all = IntStream.range(0, acknowledged.get()).boxed().toList();
            Awaitility.await().atMost(2, TimeUnit.MINUTES).untilAsserted(() -> {
                synchronized (received) {
                    assertThat(received).containsSequence(all); // the first of each, in order
                }
            });
            back.disconnect().get(30, TimeUnit.SECONDS);
            publisher.disconnect().get(30, TimeUnit.SECONDS);
            assertThat(subscriber.getState().isConnected()).isFalse();
        }
    }

    private void awaitAcknowledged(int least) {
        Awaitility.await().atMost(3, TimeUnit.MINUTES).until(() -> acknowledged.get() >= least);
    }

    /** Each message is published again until it is acknowledged, so that those that are make no gap. */
    private void publish(Mqtt3AsyncClient publisher, AtomicBoolean ends) {
        while (!ends.get()) {
            var sent = publisher
                    .publishWith()
                    .topic("numbers")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload(Integer.toString(acknowledged.get()).getBytes(StandardCharsets.UTF_8))
                    .send();
            sent.join();
            acknowledged.incrementAndGet();
        }
    }

    private Mqtt3AsyncClient subscriber(TributaryContainer broker) throws Exception {
        Mqtt3AsyncClient subscriber = client("subscriber", broker).buildAsync();
        subscriber.publishes(MqttGlobalPublishFilter.ALL, message -> {
            synchronized (received) {
                received.add(Integer.parseInt(new String(message.getPayloadAsBytes(), StandardCharsets.UTF_8)));
            }
        });
        subscriber.connectWith().cleanSession(false).send().get(60, TimeUnit.SECONDS);
        subscriber
                .subscribeWith()
                .topicFilter("numbers")
                .qos(MqttQos.AT_LEAST_ONCE)
                .send()
                .get(60, TimeUnit.SECONDS);
        return subscriber;
    }

    private static Mqtt3ClientBuilder client(String name, TributaryContainer broker) {
        return Mqtt3Client.builder()
                .identifier(name)
                .serverHost(broker.getHost())
                .serverPort(broker.mqttPort())
                .automaticReconnectWithDefaultConfig();
    }
}
