package io.tributary.persistence.kafka;

import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.GroupRecorder;
import io.tributary.persistence.app.GroupTopics;
import io.tributary.persistence.shard.AppendCallback;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Application groups on Kafka's share groups. A group's topic is {@code <prefix>.group.<group>}, its share group has the
 * same name. The records are as those of applications' topics; nodes share them out message by message.
 *
 * <p>What a node has taken is its own for as long as it lives: locks are renewed. When it dies, or its connection to the
 * leader of the partition, or the leadership moves, the servers give its messages to others, at the latest when the locks
 * run out; what a member acknowledges meanwhile may come to another once more. Messages that were given up go to the topic
 * {@code <prefix>.dead-letters}, with headers that say where they come from, before they are rejected.
 *
 * <p>What all members have acknowledged is deleted now and then by the nodes that consume.
 */
public final class KafkaGroupTopics implements GroupTopics {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaGroupTopics.class);

    private static final Duration TRUNCATE_INTERVAL = Duration.ofSeconds(30);
    private static final long RETRY_MILLIS = 1000;
    private static final String SHARE_FEATURE = "share.version";

    private final KafkaConfig config;
    private final KafkaGroupConfig groups;
    private final String clientId;
    private final GroupRecorder recorder;
    private final GroupAdmin admin;
    private final GroupAppends appends;
    private final ScheduledExecutorService timer;

    // Guarded by this.
    private final Map<String, GroupConsumption> consumptions = new HashMap<>();
    private final List<GroupConsumption> ending = new ArrayList<>();
    private boolean closed;

    /**
     * Opens them; connects by itself.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param largestPacketBytes the largest MQTT packet that is accepted, in bytes
     */
    public KafkaGroupTopics(
            KafkaConfig config,
            KafkaGroupConfig groups,
            String clientId,
            int largestPacketBytes,
            GroupRecorder recorder,
            KafkaRecorder kafkaRecorder) {
        this.config = config;
        this.groups = groups;
        this.clientId = clientId;
        this.recorder = recorder;
        this.admin = new GroupAdmin(config, groups, largestPacketBytes + TopicNeeds.RECORD_OVERHEAD_BYTES);
        this.appends = new GroupAppends(config, clientId + "-groups", admin, kafkaRecorder);
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name(clientId + "-groups-timer").daemon().factory());
        admin.createDeadLetters();
        long interval = TRUNCATE_INTERVAL.toMillis();
        Future<?> _ = timer.scheduleWithFixedDelay(this::truncate, interval, interval, TimeUnit.MILLISECONDS);
    }

    /**
     * What stands against groups on these servers, a sentence each; blocks for at most the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer
     */
    public static List<String> problems(KafkaConfig config) {
        Admin admin = KafkaTopics.connect(config);
        try {
            FinalizedVersionRange version = admin.describeFeatures()
                    .featureMetadata()
                    .get(config.startTimeout().toMillis(), TimeUnit.MILLISECONDS)
                    .finalizedFeatures()
                    .get(SHARE_FEATURE);
            return version != null && version.maxVersionLevel() >= 1
                    ? List.of()
                    : List.of("Kafka at " + config.bootstrapServers() + " has no share groups (feature " + SHARE_FEATURE
                            + " is off), which shared subscriptions of applications need; use Kafka 4.2 or newer and"
                            + " kafka-features.sh upgrade --feature " + SHARE_FEATURE + "=1, or turn them off with"
                            + " tributary.applications.shared-subscriptions: off.");
        } catch (ExecutionException | TimeoutException e) {
            throw new KafkaAccessException(AccessFailure.words(config, e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while Kafka was asked about its features", e);
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    @Override
    public CompletionStage<@Nullable Void> create(String group) {
        return admin.createGroup(topic(group));
    }

    @Override
    public CompletionStage<@Nullable Void> delete(String group) {
        return admin.deleteGroup(topic(group));
    }

    @Override
    public CompletionStage<Set<String>> groups() {
        String prefix = config.groupTopicPrefix();
        return admin.topics()
                .thenApply(names -> names.stream()
                        .flatMap(name -> Stream.ofNullable(TopicNames.identifier(prefix, name)))
                        .collect(Collectors.toSet()));
    }

    @Override
    public boolean append(String group, Message message, @Nullable Source source, AppendCallback callback) {
        ProducerRecord<byte[], byte[]> record = AppRecordFormat.encode(
                new TopicPartition(topic(group), 0), message, null, source, System.currentTimeMillis());
        return appends.send(byKey(record), callback);
    }

    @Override
    public void onRoom(Runnable action) {
        appends.onRoom(action);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException when the group has a consumption on this node, or as many groups have as are allowed
     */
    @Override
    public Consumption consume(String group, Consumer consumer) {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the topics are closed");
            }
            if (consumptions.containsKey(group)) {
                throw new IllegalStateException("the group " + group + " has a consumption already");
            }
            if (consumptions.size() >= groups.maxGroups()) {
                throw new IllegalStateException("the group " + group + " cannot be consumed: " + groups.maxGroups()
                        + " groups are consumed on this node, which is the configured maximum");
            }
            GroupConsumption consumption = new GroupConsumption(
                    config, groups, clientId, topic(group), consumer, recorder, this::bury, () -> ended(group));
            consumptions.put(group, consumption);
            return consumption;
        }
    }

    @Override
    public void close() {
        List<GroupConsumption> open;
        List<GroupConsumption> all;
        synchronized (this) {
            closed = true;
            open = List.copyOf(consumptions.values());
            all = new ArrayList<>(ending);
        }
        open.forEach(GroupConsumption::close);
        all.addAll(open);
        try {
            for (GroupConsumption each : all) {
                each.awaitEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        timer.shutdownNow();
        appends.close();
        admin.close();
    }

    private String topic(String group) {
        return TopicNames.of(config.groupTopicPrefix(), group);
    }

    private synchronized void ended(String group) {
        GroupConsumption consumption = consumptions.remove(group);
        ending.removeIf(GroupConsumption::hasEnded);
        if (consumption != null) {
            ending.add(consumption);
        }
    }

    private void truncate() {
        List<String> topics;
        synchronized (this) {
            topics = consumptions.keySet().stream().map(this::topic).toList();
        }
        topics.forEach(admin::truncate);
    }

    /** Until it is there, the message stays with whoever has taken it. */
    private void bury(HeldMessage message, Runnable buried) {
        boolean accepted = appends.send(deadLetter(message), (offset, failure) -> {
            if (failure == null && offset >= 0) {
                LOG.warn(
                        "Message {} of {} is given up after {} deliveries and is among the dead letters",
                        message.place(),
                        message.record().topic(),
                        message.deliveries());
                recorder.onDeadLetters(1);
                buried.run();
            } else {
                buryLater(message, buried);
            }
        });
        if (!accepted) {
            buryLater(message, buried);
        }
    }

    private void buryLater(HeldMessage message, Runnable buried) {
        try {
            Future<?> _ = timer.schedule(() -> bury(message, buried), RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: the message is given up when it is taken next", e);
        }
    }

    private ProducerRecord<byte[], byte[]> deadLetter(HeldMessage message) {
        Headers headers = new RecordHeaders(message.record().headers());
        addText(headers, "tributary.topic", message.record().topic());
        addText(headers, "tributary.partition", Integer.toString(message.place().partition()));
        addText(headers, "tributary.offset", Long.toString(message.place().offset()));
        addText(headers, "tributary.deliveries", Integer.toString(message.deliveries()));
        String group = TopicNames.identifier(
                config.groupTopicPrefix(), message.record().topic());
        addText(headers, "tributary.group", group == null ? "" : group);
        return new ProducerRecord<>(
                config.deadLetterTopic(),
                null,
                null,
                message.record().key(),
                message.record().value(),
                headers);
    }

    private static void addText(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** The partition follows from the MQTT topic. */
    private static ProducerRecord<byte[], byte[]> byKey(ProducerRecord<byte[], byte[]> record) {
        return new ProducerRecord<>(record.topic(), null, null, record.key(), record.value(), record.headers());
    }
}
