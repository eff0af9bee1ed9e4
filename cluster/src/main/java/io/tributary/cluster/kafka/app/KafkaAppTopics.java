package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.ClientProperties;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaClients;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.cluster.kafka.app.TopicNames.Named;
import io.tributary.common.event.GroupIdentifier;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of application clients in Kafka: {@code <prefix>.app.<client>} (see {@link TopicNames}), with one
 * partition, or one of the partitions of {@code <prefix>.apps}. Positions are Kafka's offsets. The records are for
 * anybody to read, see {@link AppRecordFormat}.
 *
 * <p>An append that was accepted is repeated until it is durable, however long Kafka is away; meanwhile further ones
 * are refused when the budget of {@link KafkaConfig.Appends#bufferBytes} is in use. One to a topic that Kafka has not
 * known for some seconds is told -1 when the session is over; for one that lives the topic is made anew. A topic that
 * refuses a large record is made to take it. When Kafka refuses a record for good (a permission that was taken away, a
 * limit of the topic that is too low and cannot be raised), appending is broken: all appends fail from then on, and the
 * listener is told so that the node stops itself.
 *
 * <p>While Kafka is away reads wait. A record's time is Kafka's. Records that are not of our layout are counted and
 * skipped. Of the clients' groups {@code <prefix>.app.<client>} only the committed offsets exist, for Kafka's lag
 * tools; nothing is read from there.
 */
public final class KafkaAppTopics implements AppTopics, Appending {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaAppTopics.class);

    private final String ownPrefix;
    private final String groupPrefix;
    private final String sharedTopic;
    private final KafkaConfig config;
    private final AppTopicsConfig apps;
    private final int largestRecordBytes;
    private final AppAdmin admin;
    private final AppProducer producer;
    private final AppReads reads;
    private final AcknowledgedPositions acknowledged;
    private final ScheduledExecutorService timer;
    private final InstantSource clock = InstantSource.system();
    private final AppRecordFormat records;
    private final RecordFormat format;
    /** Topics of somebody else of which the log says so. */
    private final Set<String> foreign = ConcurrentHashMap.newKeySet();

    private volatile Predicate<Recipient> lives = _ -> false;
    private volatile boolean closed;

    /**
     * Opens it; it connects by itself.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param largestPacketBytes the largest MQTT packet that is accepted, or was and may still be queued
     * @param backEnds the client identifier as which back-ends publish, or null where there are none
     * @param format says in which format records are written
     * @param onBroken told once when appending is broken for good, and once should reading end by a defect; must not
     *     block
     * @throws KafkaAccessException when no client of Kafka's can be made
     */
    public KafkaAppTopics(
            KafkaConfig config,
            AppTopicsConfig apps,
            String clientId,
            int largestPacketBytes,
            @Nullable String backEnds,
            RecordFormat format,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken) {
        this.config = config;
        this.apps = apps;
        this.records = new AppRecordFormat(backEnds);
        this.format = format;
        this.ownPrefix = TopicNames.ownPrefix(config);
        this.groupPrefix = TopicNames.groupPrefix(config);
        this.sharedTopic = TopicNames.shared(config);
        this.largestRecordBytes = largestPacketBytes + TopicNeeds.RECORD_OVERHEAD_BYTES;
        String name = clientId + "-apps";
        this.timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name(name + "-timer").factory());
        this.admin = new AppAdmin(config, name, recorder);
        this.producer = new AppProducer(
                config,
                () -> new AppSender(config, name),
                admin,
                timer,
                recorder,
                this::makeAnew,
                (topic, recordBytes) -> admin.tryToRaise(rules(topic), recordBytes),
                onBroken);
        this.reads = new AppReads(
                reader -> KafkaClients.consumer(config, ClientProperties.appConsumer(config, reader)),
                config.appends().closeTimeout(),
                apps,
                name,
                admin,
                timer,
                recorder,
                onBroken);
        this.acknowledged = new AcknowledgedPositions(admin, !apps.keepAcknowledged());
        Repeated.every(timer, apps.cleaningInterval().toMillis(), acknowledged::flush);
    }

    @Override
    public CompletionStage<Found> create(AppTopic topic) {
        TopicPartition partition = partition(topic);
        if (!topic.shared()) {
            reads.release(topic, partition, "the topic of " + nameOf(topic) + " is created anew");
        }
        return closed ? closedFailure() : admin.create(rules(topic), partition);
    }

    @Override
    public CompletionStage<Boolean> delete(AppTopic topic) {
        TopicPartition partition = partition(topic);
        reads.forget(topic, partition, "the topic of " + nameOf(topic) + " is deleted");
        if (closed) {
            return closedFailure();
        }
        if (topic.shared()) {
            return CompletableFuture.completedFuture(true);
        }
        acknowledged.forget(partition);
        return admin.delete(rules(topic)).thenApply(isGone -> {
            if (!isGone && foreign.add(partition.topic())) {
                LOG.warn(
                        "Topic {} is called like that of an application whose session is over, but is not set up like"
                                + " one: it is taken for somebody else's and not deleted",
                        partition.topic());
            }
            return isGone;
        });
    }

    @Override
    public CompletionStage<Set<AppTopic>> deletable() {
        return admin.topics()
                .thenApply(names -> names.stream()
                        .map(this::clientOf)
                        .filter(clientId -> clientId != null)
                        .map(clientId -> new AppTopic(clientId, false))
                        .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public boolean append(
            AppTopic topic, Message message, Recipient recipient, @Nullable Source source, AppendCallback callback) {
        return producer.append(
                records.encode(partition(topic), message, recipient, source, clock.millis(), format.toWrite()),
                () -> lives.test(recipient),
                callback);
    }

    @Override
    public void keepFor(Predicate<Recipient> newLives) {
        lives = newLives;
    }

    @Override
    public void onRoom(Runnable action) {
        producer.onRoom(action);
    }

    @Override
    public CompletableFuture<Page> read(AppTopic topic, @Nullable String id, long from, int maxRecords, int maxBytes) {
        return reads.read(topic, partition(topic), new AppRead(topic.clientId(), id, from, maxRecords, maxBytes));
    }

    @Override
    public void release(AppTopic topic) {
        reads.release(topic, partition(topic), "nobody reads for " + nameOf(topic) + " here any more");
    }

    @Override
    public CompletionStage<@Nullable Found> find(AppTopic topic) {
        return Objects.requireNonNull(findAll(List.of(topic)).get(topic));
    }

    @Override
    public Map<AppTopic, CompletionStage<@Nullable Found>> findAll(Collection<AppTopic> topics) {
        Map<TopicPartition, CompletableFuture<@Nullable Found>> answers =
                admin.find(topics.stream().map(this::partition).collect(Collectors.toSet()));
        Map<AppTopic, CompletionStage<@Nullable Found>> found = new HashMap<>();
        topics.forEach(topic -> found.put(topic, Objects.requireNonNull(answers.get(partition(topic)))));
        return found;
    }

    @Override
    public void acknowledged(AppTopic topic, @Nullable String id, long position) {
        if (position > 0) {
            String group = ownTopic(topic.clientId());
            acknowledged.note(group, partition(topic), id, !topic.shared(), position);
        }
    }

    @Override
    public long oldestAppendNanos() {
        return producer.oldestAppendNanos();
    }

    /**
     * Completes what was accepted, which takes at most {@link KafkaConfig.Appends#closeTimeout} and a few seconds;
     * appends that Kafka has not taken by then fail, though they may have become durable.
     */
    @Override
    public void close() {
        closed = true;
        producer.close();
        reads.close();
        acknowledged.close();
        timer.shutdownNow();
        admin.close();
    }

    private TopicPartition partition(AppTopic topic) {
        return topic.shared()
                ? new TopicPartition(sharedTopic, Math.floorMod(topic.clientId().hashCode(), apps.sharedPartitions()))
                : new TopicPartition(ownTopic(topic.clientId()), 0);
    }

    private static String nameOf(AppTopic topic) {
        return GroupIdentifier.display(topic.clientId());
    }

    /** A group's identifier begins with a character that is not worth showing. */
    private String ownTopic(String clientId) {
        String tenant = GroupIdentifier.tenantOf(clientId);
        return GroupIdentifier.isGroup(clientId)
                ? TopicNames.of(groupPrefix, new Named(tenant, GroupIdentifier.visibleNameOf(clientId)))
                : TopicNames.of(ownPrefix, new Named(tenant, TenantNames.visible(clientId)));
    }

    private @Nullable String clientOf(String topic) {
        Named group = TopicNames.named(groupPrefix, topic);
        if (group == null) {
            Named own = TopicNames.named(ownPrefix, topic);
            return own == null ? null : TenantNames.clientId(own.tenant(), own.identifier());
        }
        int filter = group.identifier().indexOf('/') + 1;
        return filter == 0 // not a name and a filter
                ? null
                : GroupIdentifier.ofName(group.identifier().substring(0, filter)
                        + TenantNames.topic(group.tenant(), group.identifier().substring(filter)));
    }

    private void makeAnew(String topic) {
        CompletableFuture<?> _ = admin.create(rules(topic), new TopicPartition(topic, 0));
    }

    private TopicRules rules(AppTopic topic) {
        return rules(partition(topic).topic());
    }

    private TopicRules rules(String topic) {
        return apps.rules(config, topic, largestRecordBytes);
    }

    private static <T extends @Nullable Object> CompletableFuture<T> closedFailure() {
        return CompletableFuture.failedFuture(new KafkaAccessException("the topics are closed"));
    }
}
