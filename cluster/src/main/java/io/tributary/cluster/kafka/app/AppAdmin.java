package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicRules;
import io.tributary.persistence.app.AppTopics.Found;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DeleteTopicsOptions;
import org.apache.kafka.clients.admin.DeletedRecords;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates and deletes topics, and asks about them. Of one topic one is created or deleted behind the other, on virtual
 * threads; creating is tried until it succeeds, deleting once. Safe for all threads; nothing blocks but {@link #close}.
 */
final class AppAdmin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppAdmin.class);
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long LAST_RETRY_MILLIS = 5000;
    /** So long a request to delete a topic may be under way, for somebody else may have use for the topic later. */
    private static final int DELETE_MILLIS = 2000;

    /** How often the log says that something is still tried. */
    private static final long SAY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Admin admin;
    private final TopicCreations creations;
    private final KafkaRecorder recorder;
    private final Executor threads;
    private final CountDownLatch closing = new CountDownLatch(1);
    /** What waits to create a topic behind others. */
    private final Map<TopicPartition, CompletableFuture<Found>> notBegun = new ConcurrentHashMap<>();
    /** What was begun last of each topic that something is done with. */
    private final Map<String, CompletableFuture<?>> latest = new ConcurrentHashMap<>();

    AppAdmin(KafkaConfig config, String clientId, KafkaRecorder recorder) {
        this(KafkaTopics.connect(config), clientId, recorder);
    }

    AppAdmin(Admin admin, String clientId, KafkaRecorder recorder) {
        this.admin = admin;
        this.creations = new TopicCreations(admin);
        this.recorder = recorder;
        this.threads = command -> Thread.ofVirtual().name(clientId + "-admin").start(command);
    }

    /**
     * Creates a topic if there is none; which it is, and the end of the partition. Calls share a request that has not
     * begun.
     */
    CompletableFuture<Found> create(TopicRules rules, TopicPartition partition) {
        CompletableFuture<Found> done = new CompletableFuture<>();
        CompletableFuture<Found> shared = notBegun.putIfAbsent(partition, done);
        if (shared != null) {
            return shared;
        }
        CompletableFuture<?> before = latest.put(rules.topic(), done);
        Runnable task = () -> {
            notBegun.remove(partition);
            untilItSucceeds(rules.topic(), () -> createNow(rules, partition), done);
        };
        if (before == null) {
            threads.execute(task);
        } else {
            CompletableFuture<?> _ = before.whenCompleteAsync((value, failure) -> task.run(), threads);
        }
        CompletableFuture<?> _ = done.whenComplete((value, failure) -> latest.remove(rules.topic(), done));
        return done;
    }

    /**
     * Deletes a topic if there is one; tried once, in a short time, and not behind anything: what would be deleted
     * later might be wanted by then.
     *
     * @return completes with false when the topic was not created by such rules: it is somebody else's, and stays
     */
    CompletableFuture<Boolean> delete(TopicRules rules) {
        String topic = rules.topic();
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        if (latest.putIfAbsent(topic, done) != null) {
            return CompletableFuture.failedFuture(new KafkaAccessException("it is being created or deleted"));
        }
        CompletableFuture<?> _ = begun(() -> isOurs(rules))
                .thenCompose(isOurs -> isOurs ? deleteNow(topic) : CompletableFuture.completedFuture(false))
                .whenComplete((isGone, failure) -> {
                    latest.remove(topic, done);
                    if (failure == null) {
                        done.complete(isGone);
                    } else {
                        recorder.onError();
                        done.completeExceptionally(failure);
                    }
                });
        return done;
    }

    private CompletableFuture<Boolean> deleteNow(String topic) {
        DeleteTopicsOptions options = new DeleteTopicsOptions().timeoutMs(DELETE_MILLIS);
        return answer(admin.deleteTopics(List.of(topic), options).all()).handle((_, failure) -> {
            if (failure != null && !isUnknownTopic(failure)) {
                throw new KafkaAccessException("Kafka does not delete topic " + topic, failure);
            }
            return true;
        });
    }

    /** Whether the topic was created by such rules, or is not known to the server that was asked. */
    private CompletableFuture<Boolean> isOurs(TopicRules rules) {
        String topic = rules.topic();
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        DescribeTopicsOptions inTime = new DescribeTopicsOptions().timeoutMs(DELETE_MILLIS);
        DescribeConfigsOptions inTimeToo = new DescribeConfigsOptions().timeoutMs(DELETE_MILLIS);
        return answer(admin.describeTopics(List.of(topic), inTime).allTopicNames())
                .thenCombine(
                        answer(admin.describeConfigs(List.of(resource), inTimeToo)
                                .all()),
                        (found, settings) -> rules.isCreatedBySuch(
                                Objects.requireNonNull(found.get(topic)),
                                Objects.requireNonNull(settings.get(resource))))
                .exceptionally(failure -> {
                    if (isUnknownTopic(failure)) {
                        return true;
                    }
                    throw new KafkaAccessException("Kafka does not tell of topic " + topic, failure);
                });
    }

    /** The names of all topics. */
    CompletableFuture<Set<String>> topics() {
        return answer(admin.listTopics().names());
    }

    /** Which of the topics there are, with their ids; fails when Kafka does not say. */
    CompletableFuture<Map<String, String>> ids(Collection<String> topics) {
        return begun(() -> {
            Map<String, CompletableFuture<@Nullable String>> asked = idOfEach(topics);
            return all(asked.values()).thenApply(_ -> found(asked));
        });
    }

    private static Map<String, String> found(Map<String, CompletableFuture<@Nullable String>> asked) {
        Map<String, String> ids = new HashMap<>();
        asked.forEach((topic, answer) -> {
            String id = answer.join();
            if (id != null) {
                ids.put(topic, id);
            }
        });
        return ids;
    }

    /**
     * The ids of topics by their names, null where there is no topic, for one request; fails for those of which Kafka
     * does not say.
     */
    Map<String, CompletableFuture<@Nullable String>> idOfEach(Collection<String> topics) {
        Map<String, CompletableFuture<@Nullable String>> ids = new HashMap<>();
        admin.describeTopics(topics)
                .topicNameValues()
                .forEach((topic, answer) -> ids.put(topic, answer(answer).handle((found, failure) -> {
                    if (failure != null && !isUnknownTopic(failure)) {
                        recorder.onError();
                        throw new KafkaAccessException("Kafka does not tell of topic " + topic, failure);
                    }
                    return found == null ? null : found.topicId().toString();
                })));
        return ids;
    }

    /**
     * Which topics there are under their names, and where the partitions end, for two requests; null where there is
     * none; fails for those of which Kafka does not say. Waits for no other request about the topics, nor for the
     * server that creates topics.
     */
    Map<TopicPartition, CompletableFuture<@Nullable Found>> find(Collection<TopicPartition> partitions) {
        Map<String, CompletableFuture<@Nullable String>> ids =
                idOfEach(partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet()));
        CompletableFuture<ListOffsetsResult> ends = all(ids.values())
                .handle((_, _) -> admin.listOffsets(KafkaTopics.ends(partitions.stream()
                        .filter(partition -> isThere(Objects.requireNonNull(ids.get(partition.topic()))))
                        .toList())));
        Map<TopicPartition, CompletableFuture<@Nullable Found>> found = new HashMap<>();
        partitions.forEach(partition -> found.put(
                partition,
                Objects.requireNonNull(ids.get(partition.topic()))
                        .thenCompose(id -> id == null
                                ? CompletableFuture.<@Nullable Found>completedFuture(null)
                                : ends.thenCompose(all -> found(id, answer(all.partitionResult(partition)))))));
        return found;
    }

    private static boolean isThere(CompletableFuture<@Nullable String> id) {
        return !id.isCompletedExceptionally() && id.join() != null;
    }

    private static CompletableFuture<@Nullable Found> found(String id, CompletableFuture<ListOffsetsResultInfo> end) {
        return end.handle((found, failure) -> {
            if (failure != null && !isUnknownTopic(failure)) {
                throw new KafkaAccessException("Kafka does not tell where the topic ends", failure);
            }
            return found == null ? null : new Found(id, found.offset());
        });
    }

    /**
     * Has a topic take the largest records. Completes also when that did not work.
     *
     * @param recordBytes what it is to take at least
     */
    CompletableFuture<?> tryToRaise(TopicRules rules, int recordBytes) {
        CompletableFuture<?> raised =
                begun(() -> settings(rules.topic()).thenCompose(found -> raise(rules, found, recordBytes)));
        return raised.handle((_, failure) -> {
            if (failure != null) {
                recorder.onError();
                LOG.warn("Topic {} cannot be made to take large records", rules.topic(), failure);
            }
            return null;
        });
    }

    /**
     * Where a partition begins and ends.
     *
     * @param end the offset behind its last record
     */
    record Bounds(long begin, long end) {}

    /** Where the partition begins and ends; fails when Kafka does not say. */
    CompletableFuture<Bounds> bounds(TopicPartition partition) {
        return offset(partition, OffsetSpec.earliest()).thenCombine(end(partition), Bounds::new);
    }

    /** Where the partition ends; fails when Kafka does not say. */
    CompletableFuture<Long> end(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest());
    }

    private CompletableFuture<Long> offset(TopicPartition partition, OffsetSpec which) {
        return begun(() -> answer(admin.listOffsets(Map.of(partition, which)).partitionResult(partition)))
                .thenApply(ListOffsetsResultInfo::offset);
    }

    /** Deletes the records below the offsets; tried once. Each partition completes with where it begins then. */
    Map<TopicPartition, CompletableFuture<Long>> deleteRecords(Map<TopicPartition, RecordsToDelete> below) {
        Map<TopicPartition, CompletableFuture<Long>> begins = new HashMap<>();
        if (!below.isEmpty()) {
            admin.deleteRecords(below)
                    .lowWatermarks()
                    .forEach((partition, deleted) ->
                            begins.put(partition, answer(deleted).thenApply(DeletedRecords::lowWatermark)));
        }
        return begins;
    }

    /** Sets the offset of a group; tried once. */
    CompletableFuture<?> commit(String group, TopicPartition partition, long offset) {
        return answer(admin.alterConsumerGroupOffsets(group, Map.of(partition, new OffsetAndMetadata(offset)))
                .all());
    }

    /** Whether this is how Kafka says that there is no such topic. */
    static boolean isUnknownTopic(Throwable failure) {
        return isCausedBy(failure, UnknownTopicOrPartitionException.class);
    }

    /** Whether this is how Kafka says that a partition ends before the offset that it was told. */
    static boolean isBehindTheEnd(Throwable failure) {
        return isCausedBy(failure, OffsetOutOfRangeException.class);
    }

    private static boolean isCausedBy(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }

    /** Requests that wait fail. */
    @Override
    public void close() {
        closing.countDown();
        admin.close(Duration.ZERO);
    }

    /**
     * A topic that was made just now has nothing of this client's: where it ends is not asked, for Kafka would answer
     * when it has made the logs of all topics before it.
     */
    private Found createNow(TopicRules rules, TopicPartition partition) throws InterruptedException {
        try {
            return new Found(await(creations.create(rules.newTopic())), 0);
        } catch (TopicExistsException e) {
            LOG.debug("topic {} exists", rules.topic(), e);
        }
        String id = idOfExisting(rules);
        long end = await(admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                        .partitionResult(partition))
                .offset();
        return new Found(id, end);
    }

    /**
     * The id of a topic that exists already, which others may have made, or Kafka by itself. Fails where it has fewer
     * partitions than configured, or others beyond them that have had records, for which partition a client is in
     * depends on their number (unless there is to be one); and where its settings lose messages. Partitions that
     * somebody has added are not used.
     */
    private String idOfExisting(TopicRules rules) throws InterruptedException {
        int needed = rules.newTopic().numPartitions();
        TopicDescription existing = await(
                        admin.describeTopics(List.of(rules.topic())).allTopicNames())
                .values()
                .iterator()
                .next();
        int found = existing.partitions().size();
        List<TopicPartition> added = rules.partitionsBeyond(existing);
        if (found < needed || (needed > 1 && !await(KafkaTopics.haveNothing(admin, added)))) {
            throw new KafkaAccessException("it has " + found + " partitions, configured are " + needed);
        }
        Config settings = await(settings(rules.topic()));
        List<String> faults = rules.faultsOfExisting(existing, settings);
        if (!faults.isEmpty()) {
            throw new KafkaAccessException(String.join(" ", faults));
        }
        if (!added.isEmpty()) {
            LOG.error(
                    "Topic {}: somebody has added {} partitions to its {}. They are ignored, and what others write there"
                            + " is not delivered",
                    rules.topic(),
                    added.size(),
                    needed);
        }
        await(raise(rules, settings, 0));
        return existing.topicId().toString();
    }

    /** One that was created when packets were smaller would refuse larger ones for good. */
    private CompletableFuture<?> raise(TopicRules rules, Config found, int recordBytes) {
        OptionalInt bytes = rules.raised(TopicRules.values(found), recordBytes);
        if (bytes.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        AlterConfigOp change = TopicRules.maxRecordBytes(bytes.getAsInt());
        return answer(admin.incrementalAlterConfigs(Map.of(resource(rules.topic()), List.of(change)))
                .all());
    }

    private CompletableFuture<Config> settings(String topic) {
        ConfigResource resource = resource(topic);
        return answer(Objects.requireNonNull(
                admin.describeConfigs(List.of(resource)).values().get(resource)));
    }

    private static ConfigResource resource(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    private <T> void untilItSucceeds(String topic, Callable<T> action, CompletableFuture<T> done) {
        try {
            long saidNanos = System.nanoTime() - SAY_NANOS;
            for (long millis = FIRST_RETRY_MILLIS; ; millis = Math.min(2 * millis, LAST_RETRY_MILLIS)) {
                pause(0);
                try {
                    done.complete(action.call());
                    return;
                } catch (RuntimeException | Error e) {
                    recorder.onError();
                    long now = System.nanoTime();
                    if (now - saidNanos >= SAY_NANOS && closing.getCount() > 0 && !isUnknownTopic(e)) {
                        saidNanos = now;
                        LOG.warn("Topic {} cannot be created; trying until it can: {}", topic, e.toString());
                    }
                }
                pause(millis);
            }
        } catch (Exception | Error e) {
            done.completeExceptionally(e);
        }
    }

    private void pause(long millis) throws InterruptedException {
        if (closing.await(millis, TimeUnit.MILLISECONDS)) {
            throw new KafkaAccessException("the topics are closed");
        }
    }

    private static <T> T await(Future<T> answer) throws InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new KafkaAccessException("Kafka did not do what it was asked for", e);
        }
    }

    /** Done when all are done; fails when one fails. */
    static CompletableFuture<?> all(Collection<? extends CompletableFuture<?>> answers) {
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
    }

    /** What fails at once fails as what fails later. */
    private static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> action) {
        return CompletableFuture.completedFuture(action).thenCompose(Supplier::get);
    }

    private static <T> CompletableFuture<T> answer(KafkaFuture<T> future) {
        return future.toCompletionStage().toCompletableFuture();
    }
}
