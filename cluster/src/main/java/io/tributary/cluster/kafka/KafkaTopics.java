package io.tributary.cluster.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The topics of a cluster: created at the first start, checked at every one. */
public final class KafkaTopics {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTopics.class);
    private static final long RETRY_MILLIS = 200;
    /**
     * A client that was refused, for a password that did not hold, answers so to all it is asked, without asking Kafka,
     * until what it knows of the brokers is so old.
     */
    private static final int LONGEST_REFUSED_MILLIS = 10_000;

    /** An unknown name of a server is waited for so much less than an answer, so that it is what the start names. */
    private static final int RESOLVE_SOONER_MILLIS = 1000;

    private final KafkaConfig config;
    private final List<TopicRules> rules;
    /** What no cluster of an earlier version has; with the audit log, if there is any. */
    private final List<String> later;

    private final long deadlineNanos;

    private KafkaTopics(KafkaConfig config, List<TopicRules> rules, List<String> later) {
        this.config = config;
        this.rules = rules;
        this.later = later;
        this.deadlineNanos = System.nanoTime() + config.startTimeout().toNanos();
    }

    /**
     * Creates the topics that are not there and checks those that are. Several nodes may do so at the same time.
     * Blocks, for at most the configured time.
     *
     * @return the largest record that the shards' topic takes, in bytes. It may be more than is needed, for messages
     *     that came when larger packets were allowed may still be queued.
     * @throws KafkaAccessException when Kafka does not answer, or topics are not set up as they must be: a sentence for
     *     each thing that is wrong, all at once
     */
    public static int ensure(KafkaConfig config, TopicNeeds needs) {
        return ensure(config, rules(config, needs), later(config, needs));
    }

    private static List<String> later(KafkaConfig config, TopicNeeds needs) {
        return needs.laterMaps().stream().map(config::mapTopic).toList();
    }

    /** The topics of a cluster; the last one is the mark that all of them were created. */
    private static List<TopicRules> rules(KafkaConfig config, TopicNeeds needs) {
        List<TopicRules> rules = new ArrayList<>();
        rules.add(TopicRules.shards(config, needs));
        needs.maps().forEach(map -> rules.add(TopicRules.map(config, needs, map)));
        return rules;
    }

    /**
     * What is wrong with the topics now, a sentence each: settings may be changed while nodes run. Blocks, for at most
     * the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer
     */
    public static List<String> faults(KafkaConfig config, TopicNeeds needs) {
        try (Closing admin = new Closing(connect(config))) {
            KafkaTopics topics = new KafkaTopics(config, rules(config, needs), later(config, needs));
            List<String> missing = topics.missing(admin.admin);
            if (!missing.isEmpty()) {
                return List.of(isMissing(missing));
            }
            List<String> faults = new ArrayList<>();
            faults.addAll(topics.lookAt(admin.admin, topics.settings(admin.admin), faults::add));
            return faults;
        }
    }

    /**
     * The same for topics by their rules, the last of which is the mark that all were created.
     *
     * @return the largest record that the first one takes, in bytes
     */
    public static int ensure(KafkaConfig config, List<TopicRules> rules) {
        return ensure(config, rules, List.of());
    }

    private static int ensure(KafkaConfig config, List<TopicRules> rules, List<String> later) {
        try (Closing closing = new Closing(connect(config))) {
            KafkaTopics topics = new KafkaTopics(config, rules, later);
            topics.await(closing.admin.describeCluster().nodes());
            topics.createMissing(closing.admin);
            Map<String, Map<String, String>> settings = topics.settings(closing.admin);
            topics.raise(closing.admin, settings);
            List<String> faults = topics.lookAt(closing.admin, settings, harmless -> LOG.error("{}", harmless));
            if (!faults.isEmpty()) {
                throw new KafkaAccessException(String.join("\n", faults));
            }
            TopicRules first = rules.getFirst();
            return first.largestRecordBytes(settings.getOrDefault(first.topic(), Map.of()));
        }
    }

    /**
     * A topic as it is.
     *
     * @param partitions how many it has, without those that somebody has added and nobody uses
     */
    public record Existing(TopicDescription found, int partitions, Config settings) {}

    /**
     * A topic that need not be there; null when there is none. Blocks, for at most the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer
     */
    public static @Nullable Existing existing(KafkaConfig config, TopicRules topic) {
        try (Closing closing = new Closing(connect(config))) {
            KafkaTopics topics = new KafkaTopics(config, List.of(topic), List.of());
            if (!topics.missing(closing.admin).isEmpty()) {
                return null;
            }
            TopicDescription found =
                    Objects.requireNonNull(topics.describe(closing.admin).get(topic.topic()));
            int unused = topics.unused(closing.admin, topic, found).size();
            Config settings = topics.configs(closing.admin).values().iterator().next();
            return new Existing(found, found.partitions().size() - unused, settings);
        }
    }

    /** Closes a client without waiting for what it was asked to time out. */
    private record Closing(Admin admin) implements AutoCloseable {
        @Override
        public void close() {
            admin.close(Duration.ZERO);
        }
    }

    /**
     * A client that asks about topics; the caller closes it.
     *
     * @throws KafkaAccessException when the addresses of Kafka or the settings of TLS are not good
     */
    public static Admin connect(KafkaConfig config) {
        Map<String, Object> properties = ClientProperties.admin(config, config.topicPrefix() + "-topics");
        int timeout = (int) Math.min(config.startTimeout().toMillis(), Integer.MAX_VALUE);
        properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeout);
        properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeout);
        properties.putIfAbsent(AdminClientConfig.METADATA_MAX_AGE_CONFIG, LONGEST_REFUSED_MILLIS);
        properties.putIfAbsent(
                AdminClientConfig.BOOTSTRAP_RESOLVE_TIMEOUT_MS_CONFIG,
                Math.max(timeout / 2, timeout - RESOLVE_SOONER_MILLIS));
        return KafkaClients.admin(config, properties);
    }

    /**
     * The names of all topics that there are. Blocks, for at most the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer
     */
    public static Set<String> names(KafkaConfig config) {
        Admin admin = connect(config);
        try {
            return await(config, admin.listTopics().names(), config.startTimeout());
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    /**
     * All or none: what is missing among others was deleted, unless the first start was interrupted before it held
     * anything, or this is the first node of a newer version.
     */
    private void createMissing(Admin admin) {
        List<String> missing = missing(admin);
        String mark = rules.getLast().topic();
        boolean isFirstStart =
                missing.size() == rules.size() || (missing.contains(mark) && othersAreEmpty(admin, missing));
        boolean mayCreate = isFirstStart
                || isOfEarlierVersion(admin, missing)
                || config.topics().createMissing();
        if (!missing.isEmpty() && !mayCreate) {
            missing = missing(admin); // another node may have been at its first start just now
            if (!missing.isEmpty()) {
                throw new KafkaAccessException(isMissing(missing)
                        + "; if what they held may be lost, have them created by create-missing-topics=true");
            }
        }
        for (TopicRules topic : rules) {
            if (missing.contains(topic.topic())) {
                create(admin, topic);
            }
        }
    }

    /**
     * Whether what this version has and earlier ones have not is missing, and nothing else: an upgrade. Some may be
     * there already, without a record, where another node creates them now or was interrupted; the last one is not.
     */
    private boolean isOfEarlierVersion(Admin admin, List<String> missing) {
        boolean isIt = !later.isEmpty()
                && missing.contains(later.getLast())
                && later.containsAll(missing)
                && !await(admin.listTopics().names()).contains(config.auditTopic())
                && areEmpty(admin, partitions(later, missing));
        if (isIt) {
            LOG.warn(
                    "topics {} are created: this cluster is of a version that had none. If it is not, they were deleted,"
                            + " and what they held is lost",
                    missing);
        }
        return isIt;
    }

    /**
     * Has topics take larger records where nodes are configured for larger packets than before, which does no harm. A
     * user of Kafka who may not do so is told what to change, among the faults.
     *
     * @param settings of each topic, which are changed as the topics are: a server that is asked may not know it yet
     */
    private void raise(Admin admin, Map<String, Map<String, String>> settings) {
        for (TopicRules topic : rules) {
            Map<String, String> now = settings.getOrDefault(topic.topic(), Map.of());
            OptionalInt bytes = topic.raised(now);
            if (bytes.isPresent() && raise(admin, topic.topic(), topic.largestRecordBytes(now), bytes.getAsInt())) {
                now.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(bytes.getAsInt()));
            }
        }
    }

    private boolean raise(Admin admin, String topic, int before, int bytes) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            await(admin.incrementalAlterConfigs(Map.of(resource, List.of(TopicRules.maxRecordBytes(bytes))))
                    .all());
            LOG.info(
                    "topic {} takes records of {} bytes now, of {} before: larger packets are allowed",
                    topic,
                    bytes,
                    before);
            return true;
        } catch (KafkaAccessException e) {
            LOG.warn("topic {} could not be made to take larger records: {}", topic, e.getMessage());
            return false;
        }
    }

    private static String isMissing(List<String> missing) {
        return "topics " + String.join(", ", missing)
                + " are missing, and others of this cluster are there: they were deleted, or this is another Kafka";
    }

    private List<String> missing(Admin admin) {
        Collection<String> existing = await(admin.listTopics().names());
        return rules.stream()
                .map(TopicRules::topic)
                .filter(topic -> !existing.contains(topic))
                .toList();
    }

    /** Whether the topics that are there never had a record. */
    private boolean othersAreEmpty(Admin admin, List<String> missing) {
        return areEmpty(admin, partitions(rules.stream().map(TopicRules::topic).toList(), missing));
    }

    /** The partitions of those topics that are not missing. */
    private List<TopicPartition> partitions(List<String> topics, List<String> missing) {
        List<TopicPartition> there = new ArrayList<>();
        for (TopicRules topic : rules) {
            if (topics.contains(topic.topic()) && !missing.contains(topic.topic())) {
                there.addAll(topic.partitions());
            }
        }
        return there;
    }

    /** The partitions that somebody has added, if none of them ever had a record. */
    private List<TopicPartition> unused(Admin admin, TopicRules topic, TopicDescription found) {
        List<TopicPartition> added = topic.partitionsBeyond(found);
        return !added.isEmpty() && areEmpty(admin, added) ? added : List.of();
    }

    private boolean areEmpty(Admin admin, List<TopicPartition> partitions) {
        return awaitKnown(() -> haveNothing(admin, partitions));
    }

    /** Whether partitions never had a record. */
    public static KafkaFuture<Boolean> haveNothing(Admin admin, Collection<TopicPartition> partitions) {
        return admin.listOffsets(ends(partitions))
                .all()
                .thenApply(found -> found.values().stream().allMatch(end -> end.offset() == 0));
    }

    /** The question where these partitions end. */
    public static Map<TopicPartition, OffsetSpec> ends(Collection<TopicPartition> partitions) {
        return partitions.stream().collect(Collectors.toMap(Function.identity(), _ -> OffsetSpec.latest()));
    }

    private void create(Admin admin, TopicRules topic) {
        try {
            await(admin.createTopics(List.of(topic.newTopic())).all());
        } catch (KafkaAccessException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw new KafkaAccessException("topic " + topic.topic() + " cannot be created: " + e.getMessage(), e);
            }
        }
    }

    /**
     * The faults, a sentence each.
     *
     * @param settings of each topic
     * @param harmless told what is not as it should be, and does no harm
     */
    private List<String> lookAt(Admin admin, Map<String, Map<String, String>> settings, Consumer<String> harmless) {
        Map<String, TopicDescription> descriptions = describe(admin);
        List<String> faults = new ArrayList<>();
        for (TopicRules topic : rules) {
            TopicDescription found = Objects.requireNonNull(descriptions.get(topic.topic()));
            List<TopicPartition> unused = unused(admin, topic, found);
            if (!unused.isEmpty()) {
                harmless.accept(topic.hasUnused(unused.size()));
            }
            faults.addAll(topic.faults(found, !unused.isEmpty(), settings.getOrDefault(topic.topic(), Map.of())));
        }
        return faults;
    }

    private Map<String, TopicDescription> describe(Admin admin) {
        List<String> names = rules.stream().map(TopicRules::topic).toList();
        return awaitKnown(() -> admin.describeTopics(names).allTopicNames());
    }

    /** Asks again when the server does not know a topic: one that was just created may not be known to all of them. */
    private <T> T awaitKnown(Supplier<KafkaFuture<T>> question) {
        while (true) {
            try {
                return await(question.get());
            } catch (KafkaAccessException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
                        || System.nanoTime() - deadlineNanos >= 0) {
                    throw e;
                }
            }
            pause();
        }
    }

    private Map<ConfigResource, Config> configs(Admin admin) {
        List<ConfigResource> resources = rules.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.topic()))
                .toList();
        return awaitKnown(() -> admin.describeConfigs(resources).all());
    }

    private Map<String, Map<String, String>> settings(Admin admin) {
        Map<String, Map<String, String>> settings = new HashMap<>();
        configs(admin).forEach((resource, found) -> settings.put(resource.name(), TopicRules.values(found)));
        return settings;
    }

    private <T> T await(KafkaFuture<T> answer) {
        return await(config, answer, Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
    }

    /**
     * Waits for an answer of Kafka. Blocks, for at most the limit.
     *
     * @throws KafkaAccessException when Kafka does not answer in time or answers with a failure, its cause, or when the
     *     thread is interrupted
     */
    public static <T> T await(KafkaConfig config, KafkaFuture<T> answer, Duration limit) {
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new KafkaAccessException(KafkaAccessFailure.words(config, cause), cause);
        } catch (TimeoutException e) {
            throw new KafkaAccessException(KafkaAccessFailure.words(config, e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaAccessException("interrupted while Kafka was asked about topics", e);
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
