package io.tributary.persistence.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates, finds and deletes the topics of groups. It blocks nobody; stages complete on a thread of Kafka's client. */
final class GroupAdmin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupAdmin.class);

    /** The servers drop what was taken as often; what we count to comes before. */
    private static final String SERVER_DELIVERY_LIMIT = "10";

    private static final long RETRY_MILLIS = 1000;

    private final KafkaConfig config;
    private final KafkaGroupConfig groups;
    private final int largestRecordBytes;
    private final Admin admin;
    private final Executor later = CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS);
    private volatile boolean closed;

    GroupAdmin(KafkaConfig config, KafkaGroupConfig groups, int largestRecordBytes) {
        this.config = config;
        this.groups = groups;
        this.largestRecordBytes = largestRecordBytes;
        this.admin = KafkaTopics.connect(config);
    }

    /** Creates a group's topic and configures its share group, until that has succeeded. */
    CompletionStage<@Nullable Void> createGroup(String topic) {
        return untilDone(
                "group " + topic + " cannot be created",
                () -> createTopic(topic, groups.partitions(), groups.retention())
                        .thenCompose(created -> configureGroup(topic))
                        .thenCompose(configured -> exists(topic))
                        .thenCompose(known -> known
                                ? CompletableFuture.completedStage(null)
                                : CompletableFuture.failedStage(new KafkaAccessException("not known everywhere yet"))));
    }

    /** Creates the topic of the dead letters, until that has succeeded. */
    CompletionStage<@Nullable Void> createDeadLetters() {
        String topic = config.deadLetterTopic();
        return untilDone("topic " + topic + " cannot be created", () -> createTopic(topic, 1, null));
    }

    /** Deletes a group's topic, until that has succeeded, and its share group if it has no members. */
    CompletionStage<@Nullable Void> deleteGroup(String topic) {
        return untilDone(
                "group " + topic + " cannot be deleted",
                () -> stage(admin.deleteTopics(List.of(topic)).all(), UnknownTopicOrPartitionException.class)
                        .thenCompose(deleted -> stage(
                                admin.deleteShareGroups(List.of(topic)).all(),
                                GroupIdNotFoundException.class,
                                GroupNotEmptyException.class)));
    }

    /** The names of all topics. */
    CompletionStage<Set<String>> topics() {
        return admin.listTopics().names().toCompletionStage();
    }

    /** Whether there is such a topic. */
    CompletionStage<Boolean> exists(String topic) {
        return stage(admin.describeTopics(List.of(topic)).allTopicNames().thenApply(found -> null))
                .thenApply(found -> true)
                .exceptionallyCompose(failure -> cause(failure) instanceof UnknownTopicOrPartitionException
                        ? CompletableFuture.completedStage(false)
                        : CompletableFuture.failedStage(cause(failure)));
    }

    /** Deletes the records of a group that all before are acknowledged, with them. Failures are of no consequence. */
    void truncate(String topic) {
        admin.listShareGroupOffsets(Map.of(topic, new ListShareGroupOffsetsSpec()))
                .partitionsToOffsetInfo(topic)
                .toCompletionStage()
                .thenCompose(offsets -> {
                    Map<TopicPartition, RecordsToDelete> deletions = new HashMap<>();
                    offsets.forEach((partition, info) -> {
                        if (info != null && info.startOffset() > 0) {
                            deletions.put(partition, RecordsToDelete.beforeOffset(info.startOffset()));
                        }
                    });
                    return stage(admin.deleteRecords(deletions).all());
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        LOG.debug("acknowledged records of {} are not deleted yet: {}", topic, failure.toString());
                    }
                });
    }

    @Override
    public void close() {
        closed = true;
        admin.close(Duration.ZERO);
    }

    private CompletionStage<@Nullable Void> createTopic(String topic, int partitions, @Nullable Duration retention) {
        TopicRules rules = TopicRules.group(config, topic, partitions, largestRecordBytes, retention);
        return stage(admin.createTopics(List.of(rules.newTopic())).all(), TopicExistsException.class);
    }

    /** Before anybody joins it: otherwise it would begin behind what waits already. */
    private CompletionStage<@Nullable Void> configureGroup(String topic) {
        Map<String, String> settings = new HashMap<>();
        settings.put("share.auto.offset.reset", "earliest");
        settings.put("share.delivery.count.limit", SERVER_DELIVERY_LIMIT);
        Duration lock = groups.lockDuration();
        if (lock != null) {
            settings.put("share.record.lock.duration.ms", Long.toString(lock.toMillis()));
        }
        List<AlterConfigOp> changes = settings.entrySet().stream()
                .map(each -> new ConfigEntry(each.getKey(), each.getValue()))
                .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
                .collect(Collectors.toList());
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, topic);
        return stage(admin.incrementalAlterConfigs(Map.of(group, changes)).all());
    }

    private CompletionStage<@Nullable Void> untilDone(String what, Supplier<CompletionStage<@Nullable Void>> action) {
        return action.get().exceptionallyCompose(failure -> {
            if (closed) {
                return CompletableFuture.failedStage(new KafkaAccessException("closed", cause(failure)));
            }
            LOG.warn("{}; trying again", what, cause(failure));
            return CompletableFuture.supplyAsync(() -> untilDone(what, action), later)
                    .thenCompose(again -> again);
        });
    }

    @SafeVarargs
    private static CompletionStage<@Nullable Void> stage(
            KafkaFuture<Void> answer, Class<? extends Exception>... accepted) {
        return answer.toCompletionStage()
                .<@Nullable Void>thenApply(done -> null)
                .exceptionallyCompose(failure -> {
                    Throwable cause = cause(failure);
                    for (Class<? extends Exception> each : accepted) {
                        if (each.isInstance(cause)) {
                            return CompletableFuture.completedStage(null);
                        }
                    }
                    return CompletableFuture.failedStage(cause);
                });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException
                ? Objects.requireNonNullElse(failure.getCause(), failure)
                : failure;
    }
}
