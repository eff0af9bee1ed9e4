package io.tributary.persistence.kafka;

import static io.tributary.persistence.contract.Waiting.LIMIT;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.common.mqtt.Message;
import io.tributary.localcluster.LocalKafka;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.app.GroupTopics.Consumption;
import io.tributary.persistence.app.GroupTopics.GroupMessage;
import io.tributary.persistence.contract.GroupTopicsContract;
import io.tributary.persistence.contract.RecordingConsumer;
import io.tributary.persistence.contract.SavePoints;
import io.tributary.persistence.contract.Tally;
import io.tributary.persistence.contract.WorkingConsumer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaGroupTopicsTest extends GroupTopicsContract {
    private static final Duration LOCK = Duration.ofSeconds(3);

    private final KafkaConfig config = TestKafka.config();

    @Override
    protected GroupTopics open() {
        return open(config, groups());
    }

    @Override
    protected int nodes() {
        return 3;
    }

    @Override
    protected List<Message> deadLetters() {
        try (KafkaConsumer<byte[], byte[]> reader = reader()) {
            TopicPartition letters = new TopicPartition(config.deadLetterTopic(), 0);
            reader.assign(List.of(letters));
            reader.seekToBeginning(List.of(letters));
            List<Message> found = new ArrayList<>();
            long end = reader.endOffsets(List.of(letters)).values().iterator().next();
            while (reader.position(letters) < end) {
                for (ConsumerRecord<byte[], byte[]> each : reader.poll(Duration.ofMillis(100))) {
                    assertThat(text(each, "tributary.group")).isEqualTo(GROUP);
                    assertThat(Integer.parseInt(text(each, "tributary.deliveries")))
                            .isBetween(1, DELIVERY_LIMIT);
                    found.add(AppRecordFormat.decode(withoutOrigin(each), null).message());
                }
            }
            return found;
        }
    }

    @Test
    void messageIsNobodyElsesWhenItIsHeldForLongerThanItsLock() {
        appendAll(0, 1);
        RecordingConsumer holding = new RecordingConsumer();
        Consumption here = topics().consume(GROUP, holding);
        here.request(1);
        GroupMessage held = holding.await(1).getFirst();
        long since = System.nanoTime();
        try (GroupTopics other = open()) {
            Tally tally = new Tally(1);
            try (WorkingConsumer there = new WorkingConsumer(other, GROUP, tally, 100)) {
                appendAll(1, 2);
                Awaitility.await()
                        .atMost(LIMIT)
                        .until(() -> there.count() == 1
                                && System.nanoTime() - since
                                        > LOCK.multipliedBy(3).toNanos());
                here.accept(held);
                here.close();
                appendAll(2, 3);
                until(() -> there.count() == 2);
                assertThat(tally.repeated()).isEmpty();
                assertThat(holding.messages()).hasSize(1);
            }
        }
    }

    @Test
    void othersGoOnWhenAMemberIsSlowWithAMessage() {
        appendAll(0, 300);
        List<GroupMessage> slow = new CopyOnWriteArrayList<>();
        Tally tally = new Tally(300);
        CompletableFuture<Consumption> started = new CompletableFuture<>();
        Consumption consumption = topics().consume(
                        GROUP,
                        messages -> messages.forEach(each -> {
                            tally.note(each);
                            if (RecordingConsumer.number(each) % 100 == 0) {
                                slow.add(each);
                            } else {
                                started.join().accept(each);
                            }
                        }));
        started.complete(consumption);
        consumption.request(1000);
        tally.awaitAll();
        slow.forEach(consumption::accept);
        consumption.close();
        assertThat(tally.repeated()).isEmpty();
    }

    @Test
    void messagesOfAKilledNodeComeToOthersOnce() throws IOException {
        appendAll(0, 20);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GroupMemberProcess.class.getName(),
                        config.bootstrapServers(),
                        config.topicPrefix(),
                        GROUP,
                        "15",
                        Long.toString(LOCK.toMillis()))
                .redirectError(new File("/dev/null"))
                .start();
        Set<Long> taken = ConcurrentHashMap.newKeySet();
        try (BufferedReader lines = process.inputReader()) {
            while (taken.size() < 15) {
                String line = lines.readLine();
                assertThat(line).as("the process lives").isNotNull();
                if (line.startsWith("took ")) {
                    taken.add(Long.valueOf(line.substring("took ".length())));
                }
            }
            process.toHandle().destroyForcibly();
        } finally {
            process.destroyForcibly();
        }
        RecordingConsumer consumer = new RecordingConsumer();
        topics().consume(GROUP, consumer).request(100);
        List<GroupMessage> came = consumer.await(20);
        assertThat(came).extracting(RecordingConsumer::number).doesNotHaveDuplicates();
        assertThat(came)
                .filteredOn(each -> taken.contains(RecordingConsumer.number(each)))
                .hasSize(15)
                .allSatisfy(each -> assertThat(each.deliveries()).isEqualTo(2));
    }

    @Test
    void noMoreGroupsAreConsumedThanAreAllowed() {
        try (GroupTopics small = open(config, groups().withMaxGroups(1))) {
            Consumption first = small.consume(GROUP, new RecordingConsumer());
            assertThatThrownBy(() -> small.consume("$share/b/c", new RecordingConsumer()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1 groups are consumed on this node");
            first.close();
            small.consume("$share/b/c", new RecordingConsumer()).close();
        }
    }

    @Test
    void acknowledgedRecordsAreDeleted() {
        RecordingConsumer consumer = new RecordingConsumer();
        Consumption consumption = topics().consume(GROUP, consumer);
        consumption.request(20);
        appendAll(0, 10);
        consumer.await(10).forEach(consumption::accept);
        appendAll(10, 11);
        consumption.accept(consumer.await(11).getLast()); // the servers note with it where the first ones end
        TopicPartition log = new TopicPartition(TopicNames.of(config.groupTopicPrefix(), GROUP), 0);
        try (GroupAdmin admin = new GroupAdmin(config, groups(), TestKafka.LARGEST_PACKET);
                KafkaConsumer<byte[], byte[]> reader = reader()) {
            Awaitility.await()
                    .atMost(LIMIT)
                    .pollInterval(Duration.ofMillis(500))
                    .until(() -> {
                        admin.truncate(log.topic());
                        return reader.beginningOffsets(List.of(log))
                                        .values()
                                        .iterator()
                                        .next()
                                >= 10;
                    });
        }
    }

    @Test
    void nothingStandsAgainstGroupsWhenTheServersHaveThem() {
        assertThat(KafkaGroupTopics.problems(config)).isEmpty();
    }

    @Test
    void nothingIsLostWhenTheBrokerIsKilledWhileMessagesAreTaken(@TempDir Path folder) throws InterruptedException {
        try (LocalKafka kafka = LocalKafka.in(folder).start()) {
            KafkaConfig other = TestKafka.config(kafka, 1);
            assertThat(KafkaGroupTopics.problems(other)).isEmpty();
            try (GroupTopics first = open(other, groups());
                    GroupTopics second = open(other, groups())) {
                get(first.create(GROUP));
                int many = 5000;
                Tally tally = new Tally(many);
                try (WorkingConsumer one = new WorkingConsumer(first, GROUP, tally, 50);
                        WorkingConsumer two = new WorkingConsumer(second, GROUP, tally, 50)) {
                    for (int i = 0; i < many; i++) {
                        assertThat(first.append(GROUP, SavePoints.message(i), null, (at, failure) -> {}))
                                .isTrue();
                        if (i == many / 2) {
                            Awaitility.await().atMost(LIMIT.multipliedBy(2)).until(() -> tally.count() > 1000);
                            kafka.kill(1);
                            kafka.restart(1);
                        }
                    }
                    tally.awaitAll();
                    assertThat(one.count()).isPositive();
                    assertThat(two.count()).isPositive();
                }
            }
        }
    }

    private static GroupTopics open(KafkaConfig config, KafkaGroupConfig groups) {
        return new KafkaGroupTopics(
                config, groups, "node", TestKafka.LARGEST_PACKET, GroupRecorder.NONE, KafkaRecorder.NONE);
    }

    private static KafkaGroupConfig groups() {
        return KafkaGroupConfig.defaults().withLimits(LOCK, DELIVERY_LIMIT);
    }

    private KafkaConsumer<byte[], byte[]> reader() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, config.bootstrapServers());
        return new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }

    private static ConsumerRecord<byte[], byte[]> withoutOrigin(ConsumerRecord<byte[], byte[]> record) {
        RecordHeaders headers = new RecordHeaders(record.headers());
        for (String name : List.of("topic", "partition", "offset", "deliveries", "group")) {
            headers.remove("tributary." + name);
        }
        return new ConsumerRecord<>(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                headers,
                record.leaderEpoch());
    }
}
