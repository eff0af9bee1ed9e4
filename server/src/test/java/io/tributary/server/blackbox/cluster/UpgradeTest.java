package io.tributary.server.blackbox.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.blackbox.Scratch;
import io.tributary.common.event.RecordFormat;
import io.tributary.server.blackbox.BrokerExtension;
import io.tributary.server.blackbox.Operator;
import io.tributary.server.blackbox.Operator.Outcome;
import io.tributary.server.blackbox.security.SecurityApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A node on hold has all write what was written before it, until an operator finishes the upgrade at any node. */
@Tag("long")
@ExtendWith(BrokerExtension.class)
@Timeout(value = 6, unit = TimeUnit.MINUTES)
class UpgradeTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final String NEWEST_IS_WRITTEN = "format " + RecordFormat.NEWEST + " is written";

    /** As a node of 0.1.0 has left it, which read and wrote format 3: `old`, gone. */
    private static final byte[] LEFT_BY_FORMAT_3 =
            HexFormat.of().parseHex("01" + "01" + "0168" + "01" + "0303" + "04000000" + "000100000000");

    private static TestCluster cluster;
    private static Operator operator;

    @BeforeAll
    static void start() {
        cluster = TestCluster.in(Scratch.folder("upgrade")).nodes(2).start();
        operator = new Operator(cluster.tokenFile());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void nodesWriteTheOldFormatUntilTheUpgradeIsFinished() throws Exception {
        // A cluster that is new has nothing to go back to.
        assertThat(upgrade("n1", "status")).contains(NEWEST_IS_WRITTEN, "nothing is held back");
        List.copyOf(cluster.names()).forEach(cluster::stop);
        leaveTheTableOfTheVersionBefore();
        cluster.node("n2").environment(Map.of("TRIBUTARY_CLUSTER_FORMATS", "hold"));
        cluster.start("n2"); // first: n1 alone would have nothing to wait for
        cluster.start("n1");
        cluster.awaitShardsSpread(PATIENCE);

        assertThat(upgrade("n1", "status"))
                .contains("n1: tributary", "n2: tributary", "formats up to 3")
                .contains("format 3 is written, and " + RecordFormat.NEWEST + " held back by n2 until");
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);

        assertThat(upgrade("n1", "finish")).contains(NEWEST_IS_WRITTEN, "nothing is held back");
        assertThat(upgrade("n2", "status"))
                .contains("formats up to " + RecordFormat.NEWEST)
                .doesNotContain("formats up to 3");
        try (SecurityApi api = api("n1")) {
            assertThat(api.create("users/people:ada", "{}").statusCode()).isEqualTo(201);
            assertThat(api.send("GET", "/api/v1/audit", "").body())
                    .contains(
                            "\"action\":\"upgrade-finish\"",
                            "\"before\":\"3\"",
                            "\"after\":\"" + RecordFormat.NEWEST + "\"");
        }
        cluster.stop("n2");
        cluster.start("n2");
        assertThat(upgrade("n2", "status")).contains(NEWEST_IS_WRITTEN, "nothing is held back");
        assertThat(upgrade("n1", "finish")).contains("nothing is held back");
        new Probe(cluster).await(List.copyOf(cluster.nodes()), PATIENCE);
    }

    private static String upgrade(String node, String word) {
        Outcome outcome = operator.upgrade(cluster.node(node), word);
        assertThat(outcome.exit()).as(outcome.printed()).isZero();
        return outcome.printed();
    }

    private static SecurityApi api(String node) throws IOException {
        return new SecurityApi(
                cluster.node(node).httpPort(),
                Files.readString(cluster.tokenFile()).strip());
    }

    private static void leaveTheTableOfTheVersionBefore() throws ExecutionException, InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, cluster.kafka().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (String name : cluster.names()) {
                producer.send(record(name, null)).get();
            }
            producer.send(record("old", LEFT_BY_FORMAT_3)).get();
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String node, byte @Nullable [] value) {
        return new ProducerRecord<>("tributary.nodes", node.getBytes(StandardCharsets.UTF_8), value);
    }
}
