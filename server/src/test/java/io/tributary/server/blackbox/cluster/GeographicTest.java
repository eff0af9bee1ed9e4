package io.tributary.server.blackbox.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.broker.blackbox.TestClient;
import io.tributary.common.mqtt.MqttPacket.Connack;
import io.tributary.common.mqtt.MqttPacket.Publish;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.ReasonCode;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.server.blackbox.BrokerExtension;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Two regions, each a cluster with Kafka and Redis of its own, and MirrorMaker both ways: what is published in one
 * comes to the persistent sessions of both, once and in order, whatever is killed.
 *
 * <p>One MirrorMaker and one region with all that it has are killed in any case; {@code -Dgeographic.rounds=10} kills
 * everything ten times. {@code -Dgeographic.exactly-once=false} runs MirrorMaker as it is without settings, and prints
 * how many messages came twice.
 */
@Tag("long")
@ExtendWith(BrokerExtension.class)
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class GeographicTest {
    private static final int ROUNDS = Integer.getInteger("geographic.rounds", 0);
    private static final int LOAD = Integer.getInteger("geographic.load", 60);
    private static final boolean EXACTLY_ONCE =
            Boolean.parseBoolean(System.getProperty("geographic.exactly-once", "true"));
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private final List<AutoCloseable> parts = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable part : parts.reversed()) {
            part.close();
        }
    }

    @Test
    void messageComesOnceToTheOtherRegionAndNeverBackWhateverIsKilled() throws Exception {
        Path folder = Scratch.folder("geographic");
        CompletableFuture<Region> second = CompletableFuture.supplyAsync(() -> Region.start(folder, "eu", "us"));
        Region us = Region.start(folder, "us", "eu");
        parts.add(us);
        Region eu = second.join();
        parts.add(eu);
        MirrorMaker toEu = mirror(folder, "us", us, "eu", eu);
        MirrorMaker toUs = mirror(folder, "eu", eu, "us", us);
        Predicate<Publish> mayRepeat = publish -> !EXACTLY_ONCE || us.isSentTwice(publish) || eu.isSentTwice(publish);
        us.subscribe(mayRepeat);
        eu.subscribe(mayRepeat);

        publishAndReceive(us, eu);
        killWhileMessagesCome(List.of(toEu), us, eu);
        killAllWhileMessagesCome(eu, List.of(toEu), us);
        for (int round = 0; round < ROUNDS; round++) {
            killWhileMessagesCome(List.of(toEu, toUs), us, eu);
            killWhileMessagesCome(eu, us);
            killWhileMessagesCome(us, eu);
            killAllWhileMessagesCome(eu, List.of(toEu), us);
            killAllWhileMessagesCome(us, List.of(), eu);
        }

        messageThatSaysThatItCameByIngestGoesAcross(us, eu);
        publishAndReceive(us, eu);
        nothingWentBack(us, "us", eu);
        nothingWentBack(eu, "eu", us);
        System.out.printf(
                "geographic: %d + %d messages (sent twice %d), %d rounds, exactly once %s, repeats in us %s, in eu %s%n",
                us.published(),
                eu.published(),
                us.sentTwice() + eu.sentTwice(),
                ROUNDS,
                EXACTLY_ONCE,
                us.repeats(),
                eu.repeats());
    }

    private MirrorMaker mirror(Path folder, String from, Region source, String to, Region target) throws IOException {
        MirrorMaker mirror = MirrorMaker.in(
                folder.resolve("mirror"),
                from,
                source.cluster().kafka(),
                to,
                target.cluster().kafka(),
                EXACTLY_ONCE);
        parts.add(mirror);
        mirror.start();
        return mirror;
    }

    private static void publishAndReceive(Region us, Region eu) throws IOException {
        us.publish(LOAD);
        eu.publish(LOAD);
        receiveAll(us, eu);
    }

    private static void receiveAll(Region us, Region eu) throws IOException {
        us.receive(us.published() + eu.published());
        eu.receive(us.published() + eu.published());
    }

    private static void killWhileMessagesCome(List<MirrorMaker> killed, Region us, Region eu) throws IOException {
        us.publish(LOAD);
        eu.publish(LOAD);
        killed.forEach(MirrorMaker::kill);
        us.publish(LOAD);
        eu.publish(LOAD);
        killed.forEach(MirrorMaker::start);
        publishAndReceive(us, eu);
    }

    private static void killWhileMessagesCome(Region killed, Region other) throws IOException {
        other.publish(LOAD);
        killed.kill();
        other.publish(LOAD);
        killed.restart();
        receiveAll(killed, other);
    }

    /** Its MirrorMaker goes with a region, or goes on beside a Kafka that is gone. */
    private static void killAllWhileMessagesCome(Region killed, List<MirrorMaker> mirrors, Region other)
            throws IOException {
        killed.publish(LOAD);
        other.publish(LOAD);
        mirrors.forEach(MirrorMaker::kill);
        killed.killAll();
        other.publish(LOAD);
        killed.restartAll();
        mirrors.forEach(MirrorMaker::start);
        publishAndReceive(killed, other);
    }

    /** A client can neither keep a message from going across, nor be mistaken for ingest. */
    private static void messageThatSaysThatItCameByIngestGoesAcross(Region us, Region eu) throws Exception {
        try (TestClient client = us.open()) {
            client.send(TestClient.connectPacket(ProtocolVersion.MQTT_5, "ingest", 0));
            assertThat(client.await(Connack.class, PATIENCE).reason())
                    .isEqualTo(ReasonCode.CLIENT_IDENTIFIER_NOT_VALID);
        }
        UserProperty forged = new UserProperty("mqtt.ingested", "true");
        us.publish(new PublishProperties(null, null, null, null, List.of(forged)));
        receiveAll(us, eu);
        try (KafkaRecords records = new KafkaRecords(eu.cluster().kafka().bootstrapServers())) {
            assertThat(records.records("tributary.app.across")
                            .getLast()
                            .headers()
                            .toArray())
                    .extracting(header -> header.key())
                    .contains("mqtt.ingested", "mqtt.ingested\0");
        }
    }

    /** All records of the region's own are in the other region, once; and of the other region's none came back. */
    private static void nothingWentBack(Region region, String name, Region other) throws Exception {
        await("the delay of records is told").atMost(PATIENCE).until(() -> delays(region) >= LOAD);
        try (KafkaRecords here = new KafkaRecords(region.cluster().kafka().bootstrapServers());
                KafkaRecords there = new KafkaRecords(other.cluster().kafka().bootstrapServers())) {
            List<ConsumerRecord<byte[], byte[]>> across = here.records("tributary.app.across");
            assertThat(across.stream().filter(GeographicTest::isIngested))
                    .hasSizeGreaterThanOrEqualTo(other.published());
            assertThat(across.stream().filter(record -> !isIngested(record)))
                    .hasSizeBetween(region.published(), region.published() + region.sentTwice());
            List<ConsumerRecord<byte[], byte[]>> copied = there.records(Region.ingested(name));
            assertThat(copied).noneMatch(GeographicTest::isIngested);
            assertThat(copied).allMatch(record -> new String(record.key(), UTF_8).startsWith("cross/" + name));
            if (EXACTLY_ONCE) {
                assertThat(copied).hasSizeBetween(region.published(), region.published() + region.sentTwice());
            }
        }
    }

    private static boolean isIngested(ConsumerRecord<byte[], byte[]> record) {
        return record.headers().lastHeader("mqtt.ingested") != null;
    }

    /** How many records a node has taken in whose delay it tells, since it was started. */
    private static long delays(Region region) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + region.httpPort() + "/actuator/prometheus");
            String metrics = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            return metrics.lines()
                    .filter(line -> line.startsWith("tributary_ingest_delay_seconds_count"))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                    .sum();
        }
    }
}
