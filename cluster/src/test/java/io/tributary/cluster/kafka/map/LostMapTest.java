package io.tributary.cluster.kafka.map;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.replicated.Visibility;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node is told when the topic of a map is not what it was. */
class LostMapTest {
    private static final int ENTRIES = 100;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalKafka kafka;

    private final KafkaConfig config = TestKafka.withTopics(TestKafka.config(kafka, 1), "map", "map2");
    private final List<String> broken = new CopyOnWriteArrayList<>();
    private final KafkaMaps node = node();
    private final KafkaReplicatedMap map = node.open("map");
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void startKafka() {
        kafka = LocalKafka.in(folder).start();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @AfterEach
    void closeNode() {
        node.close();
    }

    @Test
    void nodeIsToldOnceAndBeginsAnewWithWhatIsLeftWhenTheTopicLosesItsEnd() {
        fill();
        KafkaReplicatedMap whole = node.open("map2");
        get(whole.follow((_, _) -> {}));
        kafka.kill(1);
        String partition = map.partition().toString();
        kafka.cutLog(1, partition, kafka.logBytes(1, partition) / 2);
        kafka.restart(1);
        until(() -> !broken.isEmpty());
        assertFails(map.put("late", new byte[1]), KafkaAccessException.class);
        assertFails(map.caughtUp(), KafkaAccessException.class);
        get(whole.put("a", new byte[1])); // the other maps go on
        try (KafkaMaps anew = node()) {
            KafkaReplicatedMap left = anew.open("map");
            Set<String> found = ConcurrentHashMap.newKeySet();
            get(left.follow((key, _) -> found.add(key)));
            assertThat(found).hasSizeBetween(1, ENTRIES - 1);
            get(left.put("a", new byte[1]));
            assertThat(found).contains("a");
        }
        assertThat(broken).singleElement().asString().contains(config.mapTopic("map") + " lost its end");
    }

    @Test
    void nodeIsToldWhenTheTopicIsMadeAnewAndHasLess() {
        fill();
        makeAnew();
        until(() -> !broken.isEmpty());
        assertThat(broken).singleElement().asString().contains(config.mapTopic("map"));
    }

    /** Nobody reads it here, so that no offset can show it. */
    @Test
    void nodeIsToldWhenTheTopicIsAnotherOne() {
        get(map.put("a", new byte[1]));
        var _ = map.caughtUp();
        until(() -> map.knownEnd() == 1); // Kafka has answered what was asked before, too: which topic it is
        makeAnew();
        until(() -> !broken.isEmpty());
        assertThat(broken).singleElement().asString().contains("was deleted and made anew");
    }

    private void fill() {
        get(map.follow((key, _) -> seen.add(key)));
        for (int i = 0; i < ENTRIES; i++) {
            get(map.put("key " + i, new byte[1])); // a batch each
        }
        assertThat(seen).hasSize(ENTRIES);
    }

    private void makeAnew() {
        TestKafka.delete(config, config.mapTopic("map"));
        KafkaConfig creating = config.withTopics(new KafkaConfig.Topics(true, ""));
        KafkaTopics.ensure(creating, TestKafka.needs("map", "map2"));
    }

    private KafkaMaps node() {
        return new KafkaMaps(
                config,
                "node",
                2,
                Visibility.ALONE,
                KafkaRecorder.NONE,
                failure -> broken.add(String.valueOf(failure.getMessage())));
    }
}
