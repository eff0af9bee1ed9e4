package io.tributary.cluster.kafka.app;

import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.AppTopic;
import io.tributary.persistence.app.AppTopics.Page;
import io.tributary.persistence.contract.AppTopicsContract;
import io.tributary.persistence.contract.Waiting;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KafkaAppTopicsTest extends AppTopicsContract {
    private static final AppTopic ERP = new AppTopic("erp", false);
    private static final int ALL = Integer.MAX_VALUE;

    private final AtomicInteger broken = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private final AtomicInteger unreadable = new AtomicInteger();

    private @Nullable KafkaConfig config;

    @Override
    protected AppTopics open() {
        return open(AppTopicsConfig.defaults());
    }

    private KafkaAppTopics open(AppTopicsConfig apps) {
        KafkaRecorder recorder = new KafkaRecorder() {
            @Override
            public void onError() {
                errors.incrementAndGet();
            }

            @Override
            public void onUnreadableRecord() {
                unreadable.incrementAndGet();
            }
        };
        return new KafkaAppTopics(
                config(),
                apps.withCleaningInterval(Duration.ofMillis(200)),
                "node",
                TestKafka.LARGEST_PACKET,
                "back-end",
                RecordFormat.alone(),
                recorder,
                failure -> broken.incrementAndGet());
    }

    private KafkaConfig config() {
        if (config == null) {
            config = TestKafka.config();
        }
        return config;
    }

    private String topicOf(String clientId) {
        return config().topicPrefix() + ".app." + clientId;
    }

    @AfterEach
    void appendingIsNotBroken() {
        assertThat(broken).hasValue(0);
    }

    @Test
    void recordsAreReadableWhenReadByAPlainConsumer() {
        appendAll(ERP, 2);
        Map<String, Object> properties = Map.of("bootstrap.servers", config().bootstrapServers());
        TopicPartition partition = new TopicPartition(topicOf("erp"), 0);
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= 2;
            });
        }
        ConsumerRecord<String, String> second = records.get(1);
        assertThat(second.key()).isEqualTo("a/topic");
        assertThat(second.value()).isEqualTo("00000001");
        assertThat(text(second.headers().headers("mqtt.qos").iterator().next())).isEqualTo("1");
        assertThat(text(second.headers().lastHeader("mqtt.publisher"))).isEqualTo("publisher");
        assertThat(text(second.headers().lastHeader("mqtt.time"))).matches("\\d{13}");
        assertThat(second.headers().iterator().next().key()).isEqualTo("tributary");
    }

    /** The command of docs/applications.md. */
    @Test
    void recordsAreReadableWhenReadByKafkasConsoleConsumer() throws IOException, InterruptedException {
        appendAll(ERP, 2);
        Process consumer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        Path.of("target", "console-consumer", "*")
                                + File.pathSeparator
                                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "org.apache.kafka.tools.consumer.ConsoleConsumer",
                        "--bootstrap-server",
                        config().bootstrapServers(),
                        "--topic",
                        topicOf("erp"),
                        "--from-beginning",
                        "--max-messages=2",
                        "--timeout-ms=30000",
                        "--formatter-property",
                        "print.key=true",
                        "--formatter-property",
                        "print.headers=true",
                        "--formatter-property",
                        "print.timestamp=true",
                        "--formatter-property",
                        "headers.separator= | ")
                .redirectErrorStream(true)
                .start();
        List<String> output =
                consumer.inputReader(StandardCharsets.ISO_8859_1).lines().toList();
        assertThat(consumer.waitFor()).as(String.join("\n", output)).isZero();
        List<String> lines = output.stream()
                .filter(line -> line.startsWith("CreateTime:") || line.startsWith("LogAppendTime:"))
                .toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(1))
                .contains("\ttributary:", " | mqtt.qos:1 | ", "mqtt.publisher:publisher", "a/topic\t00000001");
    }

    @Test
    void recordsOfOthersAreReadOrCountedAndSkipped() throws ExecutionException, InterruptedException {
        appendAll(ERP, 1);
        try (KafkaProducer<byte[], byte[]> other = new KafkaProducer<>(
                Map.of("bootstrap.servers", config().bootstrapServers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            other.send(new ProducerRecord<>(topicOf("erp"), bytes("not/+/valid"), bytes("x")))
                    .get();
            other.send(new ProducerRecord<>(topicOf("erp"), bytes("back/end"), bytes("y")))
                    .get();
        }
        appendAll(ERP, 1);
        List<AppRecord> records = read(ERP, 0, 3);
        assertThat(records).extracting(AppRecord::position).containsExactly(0L, 2L, 3L);
        assertThat(records.get(1).message().topic()).isEqualTo("back/end");
        assertThat(records.get(1).recipient().session()).isEqualTo(AppRecord.ANY_SESSION);
        assertThat(unreadable).hasValue(1);
    }

    /** Else an application that has acknowledged everything would count as behind for ever. */
    @Test
    void readGoesOnBehindTheEndOfATransactionOfAnotherProgram() {
        appendAll(ERP, 1);
        try (KafkaProducer<byte[], byte[]> other = new KafkaProducer<>(
                Map.of("bootstrap.servers", config().bootstrapServers(), "transactional.id", topicOf("erp")),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            other.initTransactions();
            other.beginTransaction();
            Future<?> _ = other.send(new ProducerRecord<>(topicOf("erp"), bytes("back/end"), bytes("y")));
            other.commitTransaction();
        }
        assertThat(read(ERP, 0, 2)).extracting(AppRecord::position).containsExactly(0L, 1L);
        // Kafka writes the transaction's end after it has answered.
        until(() -> requireNonNull(get(topics().find(ERP))).end() == 3);
        assertThat(get(topics().read(ERP, null, 2, 100, 1000))).isEqualTo(new AppTopics.Page(List.of(), 2, 3));
    }

    @Test
    void everythingAcceptedIsAnsweredWhenTheTopicIsDeletedMeanwhileAndMadeAnew() {
        List<CompletableFuture<Long>> before = appendMany(ERP, 3000);
        CompletableFuture<?> deleted = topics().delete(ERP).toCompletableFuture();
        List<CompletableFuture<Long>> meanwhile = appendMany(ERP, 3000);
        get(deleted);
        List<CompletableFuture<Long>> after = appendMany(ERP, 10);
        before.forEach(Waiting::get);
        meanwhile.forEach(Waiting::get);
        assertThat(after).allSatisfy(position -> assertThat(get(position)).isEqualTo(-1));
        for (int round = 0; round < 3; round++) {
            assertThat(get(topics().create(ERP)).end()).isZero();
            assertThat(appendAll(ERP, 1000))
                    .isEqualTo(LongStream.range(0, 1000).boxed().toList());
            assertThat(read(ERP, 0, 1000)).hasSize(1000);
            get(topics().delete(ERP));
        }
    }

    /** It would refuse for good what the shards' topic had taken, and the node could not forward anything else. */
    @Test
    void topicTakesLargerRecordsWhenLargerPacketsAreAllowedThanBefore() {
        get(topics().create(ERP));
        TestKafka.alter(config(), topicOf("erp"), "max.message.bytes", "100000");
        get(topics().create(ERP));
        until(() -> largestRecord(topicOf("erp")) > TestKafka.LARGEST_PACKET);
    }

    /** While larger packets become allowed, node by node, any client may be the first to send one. */
    @Test
    void largeRecordIsAppendedInItsTurnWhenTheTopicIsStillOfSmallerPackets() {
        get(topics().create(ERP));
        TestKafka.alter(config(), topicOf("erp"), "max.message.bytes", "600000");
        assertThat(get(topics().find(ERP))).isNotNull();
        List<Message> messages = List.of(message(0), large(1), large(2), message(3), message(4), large(5));
        List<CompletableFuture<Long>> appended =
                messages.stream().map(each -> append(ERP, each)).toList();
        assertThat(appended.stream().map(Waiting::get)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(read(ERP, 0, 6)).extracting(AppRecord::message).isEqualTo(messages);
        until(() -> largestRecord(topicOf("erp")) > TestKafka.LARGEST_PACKET);
    }

    private static Message large(int number) {
        byte[] payload = new byte[700_000];
        payload[0] = (byte) number;
        return new Message(
                "a/topic", payload, QoS.AT_LEAST_ONCE, false, PublishProperties.NONE, Message.NEVER, "publisher");
    }

    private long largestRecord(String topic) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (Admin admin = TestKafka.admin(config())) {
            Config now = requireNonNull(
                    get(admin.describeConfigs(List.of(resource)).all().toCompletionStage())
                            .get(resource));
            return Long.parseLong(now.get("max.message.bytes").value());
        }
    }

    @Test
    void topicOfSomebodyElseStaysWhenItIsCalledAsThatOfAClient() {
        AppTopic events = new AppTopic("events", false);
        AppTopic apps = new AppTopic("apps", false); // of a cluster whose prefix ends in .app
        get(topics().create(ERP));
        TestKafka.alter(config(), topicOf("erp"), "retention.ms", "86400000");
        TestKafka.create(config(), topicOf("events"), 1);
        try (AppTopics others = openOthers()) {
            get(others.create(new AppTopic("Aa", true)));
            until(() -> get(topics().deletable()).containsAll(List.of(events, apps)));
            assertThat(get(topics().delete(events))).isFalse();
            assertThat(get(topics().delete(apps))).isFalse();
            assertThat(get(topics().delete(ERP)))
                    .as("created when the retention was another")
                    .isTrue();
            until(() -> !get(topics().deletable()).contains(ERP));
            assertThat(get(topics().deletable())).contains(events, apps);
        }
    }

    private AppTopics openOthers() {
        return new KafkaAppTopics(
                config().withTopicPrefix(config().topicPrefix() + ".app"),
                AppTopicsConfig.defaults(),
                "other",
                TestKafka.LARGEST_PACKET,
                null,
                RecordFormat.alone(),
                KafkaRecorder.NONE,
                _ -> {});
    }

    @Test
    void topicIsMadeAnewForASessionThatLives() {
        appendAll(ERP, 5);
        String before = get(topics().create(ERP)).id();
        topics().keepFor(recipient -> recipient.clientId().equals("erp"));
        TestKafka.delete(config(), topicOf("erp"));
        until(() -> get(topics().find(ERP)) == null);
        CompletableFuture<Long> gone = append(new AppTopic("over", false), message(1));
        assertThat(appendAll(ERP, 20)).isEqualTo(LongStream.range(0, 20).boxed().toList());
        assertThat(get(topics().create(ERP)).id()).isNotEqualTo(before);
        assertThat(read(ERP, 0, 20)).hasSize(20);
        assertThat(get(gone)).isEqualTo(-1);
    }

    @Test
    void offsetIsCommittedAndRecordsGoWhenAcknowledged() {
        appendAll(ERP, 100);
        topics().acknowledged(ERP, null, 40);
        until(() -> get(topics().read(ERP, null, 0, 1, ALL)).from() == 40);
        until(() -> committed("erp") == 40);
    }

    /** The topic has lost its end since the application acknowledged the messages there. */
    @Test
    void nothingIsDeletedThatComesBelowAPositionAfterThatWasRefused() {
        AppTopic other = new AppTopic("other", false);
        get(topics().create(other));
        appendAll(ERP, 10);
        appendAll(other, 3);
        topics().acknowledged(ERP, null, 15);
        until(() -> committed("erp") == 15);
        topics().acknowledged(other, null, 1);
        until(() -> begin(other) == 1); // Kafka has answered all that came before
        appendAll(ERP, 10);
        topics().acknowledged(other, null, 2);
        until(() -> begin(other) == 2);
        assertThat(begin(ERP)).isZero();
    }

    @Test
    void positionThatIsToldLastCountsThoughItIsLower() {
        appendAll(ERP, 10);
        topics().acknowledged(ERP, null, 15);
        topics().acknowledged(ERP, null, 5);
        until(() -> begin(ERP) == 5);
    }

    private long begin(AppTopic topic) {
        return get(topics().read(topic, null, 0, 1, ALL)).from();
    }

    private static AppTopicsConfig keepingAcknowledged() {
        AppTopicsConfig apps = AppTopicsConfig.defaults();
        return new AppTopicsConfig(
                apps.consumers(),
                apps.sharedPartitions(),
                apps.retention(),
                apps.sharedRetention(),
                true,
                apps.readAheadBytes(),
                apps.cleaningInterval());
    }

    @Test
    void recordsStayWhenAcknowledgedMessagesAreKept() {
        topics().close();
        try (KafkaAppTopics keeping = open(keepingAcknowledged())) {
            CompletableFuture<Long> appended = new CompletableFuture<>();
            keeping.append(ERP, message(1), recipientOf(ERP), null, (position, failure) -> appended.complete(position));
            get(appended);
            keeping.acknowledged(ERP, null, 1);
            until(() -> committed("erp") == 1);
            assertThat(get(keeping.read(ERP, null, 0, 1, ALL)).from()).isZero();
        }
    }

    @Tag("long")
    @Test
    void everyReaderGetsItsMessagesWhenThereAreHundreds() {
        List<AppTopic> many = IntStream.range(0, 300)
                .mapToObj(i -> new AppTopic("app-" + i, false))
                .toList();
        topics().keepFor(_ -> true); // or an append ends without a record where Kafka's server takes long
        many.stream().map(topic -> topics().create(topic)).toList().forEach(Waiting::get);
        until(() -> topics().findAll(many).values().stream().allMatch(found -> get(found) != null));
        List<CompletableFuture<Page>> waiting = many.stream()
                .map(topic -> topics().read(topic, null, 0, ALL, ALL))
                .toList();
        for (int round = 0; round < 2; round++) {
            many.stream().map(topic -> append(topic, message(1))).toList().forEach(Waiting::get);
        }
        waiting.forEach(page -> assertThat(get(page).records()).isNotEmpty());
        many.forEach(topic -> assertThat(read(topic, 0, 2)).hasSize(2));
    }

    @Test
    void readerAtTheEndGetsTheNextWhenOthersDoNotRead() {
        List<AppTopic> idle = IntStream.range(0, 20)
                .mapToObj(i -> new AppTopic("idle-" + i, false))
                .toList();
        idle.forEach(topic -> get(topics().create(topic)));
        for (AppTopic topic : idle) {
            appendAll(topic, 2000);
            read(topic, 0, 1);
        }
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Page> next = topics().read(ERP, null, i, ALL, ALL);
            CompletableFuture<?> _ = append(ERP, message(i));
            assertThat(get(next).records()).hasSize(1);
        }
        idle.forEach(topic -> assertThat(read(topic, 0, 2000)).hasSize(2000));
    }

    @Test
    void clientCatchesUpWhenOthersOfItsTopicAreFarAhead() {
        List<AppTopic> sharing = sameTwoPartitions();
        AppTopic busy = sharing.get(0);
        AppTopic away = sharing.get(1);
        long begin = get(topics().create(away)).end();
        get(append(away, message(1)));
        appendAll(busy, 7000);
        get(append(away, message(2)));
        CompletableFuture<Page> atTheEnd = topics().read(busy, null, end(busy), ALL, ALL);
        assertThat(read(away, begin, 2)).extracting(AppRecord::message).containsExactly(message(1), message(2));
        assertThat(read(busy, begin, 7000)).hasSize(7000);
        assertThat(atTheEnd).isCompletedExceptionally(); // superseded
    }

    @Test
    void sharedTopicIsNotUsedWhenItHasOtherPartitions() {
        TestKafka.create(config(), sharedTopic(), 3);
        CompletableFuture<AppTopics.Found> created =
                topics().create(new AppTopic("Aa", true)).toCompletableFuture();
        until(() -> errors.get() >= 3);
        assertThat(created).isNotDone();
    }

    @Test
    void startSaysThatTheSharedTopicHasOtherPartitions() {
        AppTopicsConfig apps = AppTopicsConfig.defaults();
        AppTopicsCheck.check(config(), apps); // there is none
        TestKafka.create(config(), sharedTopic(), 3);
        assertThatThrownBy(() -> AppTopicsCheck.check(config(), apps))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageContaining(".apps: it has 3 partitions, configured are " + apps.sharedPartitions())
                .hasMessageContaining("shared-partitions");
    }

    /** One that Kafka has made by itself, or somebody else. */
    @Test
    void startSaysThatTheSharedTopicLosesMessages() {
        AppTopicsConfig apps = AppTopicsConfig.defaults();
        TestKafka.create(config(), sharedTopic(), apps.sharedPartitions());
        TestKafka.alter(config(), sharedTopic(), "cleanup.policy", "compact");
        TestKafka.alter(config(), sharedTopic(), "message.timestamp.type", "LogAppendTime");
        assertThatThrownBy(() -> AppTopicsCheck.check(config(), apps))
                .isInstanceOf(KafkaAccessException.class)
                .hasMessageStartingWith("topic " + sharedTopic() + ": cleanup.policy is compact, needed is delete");
    }

    @Test
    void applicationWaitsUntilItsTopicIsAsItMustBe() {
        TestKafka.create(config(), topicOf("late"), 1);
        TestKafka.alter(config(), topicOf("late"), "cleanup.policy", "compact");
        CompletableFuture<AppTopics.Found> created =
                topics().create(new AppTopic("late", false)).toCompletableFuture();
        until(() -> errors.get() >= 3);
        assertThat(created).isNotDone();
        TestKafka.alter(config(), topicOf("late"), "cleanup.policy", "delete");
        TestKafka.alter(config(), topicOf("late"), "message.timestamp.type", "LogAppendTime");
        TestKafka.alter(config(), topicOf("late"), "retention.ms", "86400000"); // as somebody wants it for this one
        get(created);
    }

    @Test
    void partitionsThatSomebodyHasAddedAreIgnored() {
        AppTopic shared = new AppTopic("Aa", true);
        get(topics().create(ERP));
        get(topics().create(shared));
        int configured = AppTopicsConfig.defaults().sharedPartitions();
        TestKafka.addPartitions(config(), topicOf("erp"), 2);
        TestKafka.addPartitions(config(), sharedTopic(), configured + 1);
        get(topics().create(ERP));
        get(topics().create(shared));
        AppTopicsCheck.check(config(), AppTopicsConfig.defaults());
        assertThat(appendAll(ERP, 2)).containsExactly(0L, 1L);
    }

    private String sharedTopic() {
        return config().topicPrefix() + ".apps";
    }

    @Test
    void nothingWaitsForLongWhenClientsShareAPartition() {
        List<AppTopic> sharing = sameTwoPartitions();
        AppTopic first = sharing.get(0);
        AppTopic second = sharing.get(1);
        long fromFirst = get(topics().create(first)).end();
        long fromSecond = get(topics().create(second)).end();
        for (int i = 0; i < 50; i++) {
            CompletableFuture<?> _ = append(first, message(i));
            CompletableFuture<?> _ = append(second, message(i));
            fromFirst = read(first, fromFirst, 1).getLast().position() + 1;
            fromSecond = read(second, fromSecond, 1).getLast().position() + 1;
        }
    }

    private static List<AppTopic> sameTwoPartitions() {
        // "Aa" and "BB" have the same hash code, so their partition is the same.
        return List.of(new AppTopic("Aa", true), new AppTopic("BB", true));
    }

    private List<CompletableFuture<Long>> appendMany(AppTopic topic, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> append(topic, message(i)))
                .toList();
    }

    private long committed(String clientId) {
        try (Admin admin = TestKafka.admin(config())) {
            OffsetAndMetadata offset = admin.listConsumerGroupOffsets(topicOf(clientId))
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .get(new TopicPartition(topicOf(clientId), 0));
            return offset == null ? -1 : offset.offset();
        } catch (ExecutionException e) {
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
