package io.tributary.persistence.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The topics of a cluster: created at the first start, checked at every one. */
public final class KafkaTopics {
    private static final long RETRY_MILLIS = 200;

    private final KafkaConfig config;
    private final List<TopicRules> rules;
    private final long deadlineNanos;

    private KafkaTopics(KafkaConfig config, List<TopicRules> rules) {
        this.config = config;
        this.rules = rules;
        this.deadlineNanos = System.nanoTime() + config.startTimeout().toNanos();
    }

    /**
     * Creates the topics that are not there and checks those that are. Several nodes may do so at the same time. Blocks, for
     * at most the configured time.
     *
     * @throws KafkaAccessException when Kafka does not answer, or topics are not set up as they must be: a sentence for each
     *     thing that is wrong, all at once
     */
    public static void ensure(KafkaConfig config, TopicNeeds needs) {
        List<TopicRules> rules = new ArrayList<>();
        rules.add(TopicRules.shards(config, needs));
        needs.maps().forEach(map -> rules.add(TopicRules.map(config, needs, map)));
        ensure(config, rules);
    }

    /** The same for topics by their rules. */
    static void ensure(KafkaConfig config, List<TopicRules> rules) {
        Admin admin = connect(config);
        try {
            KafkaTopics topics = new KafkaTopics(config, rules);
            topics.await(admin.describeCluster().nodes());
            topics.createMissing(admin);
            topics.check(admin);
        } finally {
            admin.close(Duration.ZERO); // not before what was asked has timed out, otherwise
        }
    }

    /** A client that asks about topics. */
    static Admin connect(KafkaConfig config) {
        try {
            Map<String, Object> properties = ClientProperties.admin(config, config.topicPrefix() + "-topics");
            int timeout = (int) Math.min(config.startTimeout().toMillis(), Integer.MAX_VALUE);
            properties.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeout);
            properties.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeout);
            return Admin.create(properties);
        } catch (KafkaException e) {
            throw new KafkaAccessException(AccessFailure.words(config, e), e);
        }
    }

    private void createMissing(Admin admin) {
        Collection<String> existing = await(admin.listTopics().names());
        for (TopicRules topic : rules) {
            if (!existing.contains(topic.topic())) {
                create(admin, topic);
            }
        }
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

    private void check(Admin admin) {
        Map<String, TopicDescription> descriptions = describe(admin);
        Map<String, Map<String, String>> settings = settings(admin);
        List<String> faults = new ArrayList<>();
        for (TopicRules topic : rules) {
            faults.addAll(topic.faults(
                    Objects.requireNonNull(descriptions.get(topic.topic())),
                    settings.getOrDefault(topic.topic(), Map.of())));
        }
        if (!faults.isEmpty()) {
            throw new KafkaAccessException(String.join("\n", faults));
        }
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

    private Map<String, Map<String, String>> settings(Admin admin) {
        List<ConfigResource> resources = rules.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.topic()))
                .toList();
        Map<String, Map<String, String>> settings = new HashMap<>();
        Map<ConfigResource, Config> found =
                awaitKnown(() -> admin.describeConfigs(resources).all());
        found.forEach((resource, entries) -> {
            Map<String, String> values = new HashMap<>();
            for (ConfigEntry entry : entries.entries()) {
                values.put(entry.name(), entry.value());
            }
            settings.put(resource.name(), values);
        });
        return settings;
    }

    private <T> T await(KafkaFuture<T> answer) {
        return await(config, answer, Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime())));
    }

    /** Waits for an answer of Kafka. */
    static <T> T await(KafkaConfig config, KafkaFuture<T> answer, Duration limit) {
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new KafkaAccessException(AccessFailure.words(config, cause), cause);
        } catch (TimeoutException e) {
            throw new KafkaAccessException(AccessFailure.words(config, e), e);
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
