package io.tributary.cluster.kafka.map;

import io.tributary.cluster.kafka.Appending;
import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.OrderedProducer;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.persistence.limit.ByteBudget;
import io.tributary.persistence.replicated.Visibility;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicated maps of a node, each a compacted topic of one partition, {@code <prefix>.<name>}. All share a
 * producer, a thread that follows, and a connection that asks for the ends of topics: three threads, whatever the
 * number of maps.
 */
public final class KafkaMaps implements Appending, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaMaps.class);
    private static final long LOOK_SECONDS = 5;

    private final KafkaConfig config;
    private final Visibility visibility;
    private final OrderedProducer producer;
    private final MapConsumer consumer;
    private final Admin admin;
    /** What maps into which clients write may have under way, and what the rest: neither can take the other's. */
    private final ByteBudget ofClients;

    private final ByteBudget ofOthers;
    private final Consumer<Throwable> onBroken;
    private final Executor later = CompletableFuture.delayedExecutor(LOOK_SECONDS, TimeUnit.SECONDS);
    private volatile boolean closed;
    private final Map<String, KafkaReplicatedMap> open = new ConcurrentHashMap<>();

    /**
     * Creates it; maps are then opened one by one.
     *
     * @param clientId names this node in Kafka's logs and metrics
     * @param maps how many maps there will be
     * @param visibility knows how far the other nodes' followers are, and is told how far this one's are
     * @param onBroken told when a write could not be made durable for good, and when a map lost what it had: the node
     *     stops itself. On a thread of Kafka's or of whoever wrote; must not block
     * @throws KafkaAccessException when the addresses of Kafka are not good
     */
    public KafkaMaps(
            KafkaConfig config,
            String clientId,
            int maps,
            Visibility visibility,
            KafkaRecorder recorder,
            Consumer<Throwable> onBroken) {
        this.config = config;
        this.visibility = visibility;
        long bytes = config.appends().bufferBytes();
        this.ofOthers = new ByteBudget(bytes / 4);
        this.ofClients = new ByteBudget(bytes - bytes / 4);
        this.producer = new OrderedProducer(config, clientId + "-maps", maps, recorder, onBroken);
        this.consumer = new MapConsumer(config, clientId + "-maps", recorder, onBroken);
        this.admin = KafkaTopics.connect(config);
        this.onBroken = onBroken;
        later.execute(this::lookAtTopics);
    }

    /**
     * Opens a map whose topic is there, see {@link KafkaTopics}. Blocks, for at most the configured time, until the
     * topic is known.
     *
     * @throws KafkaAccessException when Kafka does not answer or the topic has not one partition
     * @throws IllegalStateException when a map of this name is open
     */
    public KafkaReplicatedMap open(String name) {
        ByteBudget noneOfItsOwn = new ByteBudget(config.appends().bufferBytes()); // the shared one is smaller
        return open(name, noneOfItsOwn, ofOthers);
    }

    /**
     * The same for a map that clients may flood: all of these together leave a quarter of the producer's buffer to the
     * others, such as the node table with its heartbeats, and one of them has at most half of it.
     */
    public KafkaReplicatedMap openForClients(String name) {
        return open(name, new ByteBudget(config.appends().bufferBytes() / 2), ofClients);
    }

    private KafkaReplicatedMap open(String name, ByteBudget own, ByteBudget shared) {
        TopicNeeds.checkMapName(name);
        TopicPartition partition = new TopicPartition(config.mapTopic(name), 0);
        int partitions = producer.await(partition.topic());
        if (partitions < 1) { // those that were added are ignored
            throw new KafkaAccessException("topic " + partition.topic() + " has " + partitions + " partitions, not 1");
        }
        KafkaReplicatedMap map = new KafkaReplicatedMap(
                this,
                name,
                partition,
                producer.queue(partition),
                new MapWrites(name, visibility, own, shared, () -> end(partition)));
        if (open.putIfAbsent(name, map) != null) {
            throw new IllegalStateException("map " + name + " is open");
        }
        learnTopics(List.of(map));
        return map;
    }

    /**
     * Now and then, until closed: a reader does not notice that a topic was deleted and made anew when the new one has
     * more records than were read of the old one.
     */
    private void lookAtTopics() {
        if (closed) {
            return;
        }
        try {
            learnTopics(open.values());
        } catch (RuntimeException | Error e) { // else nobody would look again
            LOG.error("the topics of maps could not be looked at; that is tried again", e);
        }
        later.execute(this::lookAtTopics);
    }

    /** Tells maps which topics theirs are; one that is not there, or not known now, is asked for next time. */
    private void learnTopics(Collection<KafkaReplicatedMap> asking) {
        Map<String, KafkaReplicatedMap> byTopic =
                asking.stream().collect(Collectors.toMap(map -> map.partition().topic(), Function.identity()));
        admin.describeTopics(byTopic.keySet())
                .topicNameValues()
                .forEach((topic, answer) -> answer.toCompletionStage().whenComplete((found, failure) -> {
                    if (failure == null) {
                        Objects.requireNonNull(byTopic.get(topic)).isTopic(found.topicId());
                    } else {
                        LOG.debug("topic {} is looked at later", topic, failure);
                    }
                }));
    }

    @Override
    public long oldestAppendNanos() {
        return producer.oldestAppendNanos();
    }

    /**
     * Closes all maps, then the connections to Kafka. Each map takes at most {@link KafkaConfig.Appends#closeTimeout},
     * and so do the connections.
     */
    @Override
    public void close() {
        closed = true;
        open.values().forEach(KafkaReplicatedMap::close);
        consumer.close();
        producer.close();
        admin.close(closeTimeout());
    }

    Visibility visibility() {
        return visibility;
    }

    MapConsumer consumer() {
        return consumer;
    }

    /** Runs the action once when the producer takes records again. */
    void onRoom(Runnable action) {
        producer.onRoom(action);
    }

    Duration closeTimeout() {
        return config.appends().closeTimeout();
    }

    void closed(KafkaReplicatedMap map) {
        open.remove(map.name(), map);
    }

    /** A map has lost what it had. */
    void lost(KafkaAccessException failure) {
        onBroken.accept(failure);
    }

    /** Asks Kafka where a map ends: behind the last of its records that is durable. */
    CompletionStage<Long> end(TopicPartition partition) {
        try {
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .toCompletionStage()
                    .thenApply(ListOffsetsResultInfo::offset);
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
