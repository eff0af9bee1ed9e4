package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the start of a node looks at of the topics of applications. */
public final class AppTopicsCheck {
    private static final Logger LOG = LoggerFactory.getLogger(AppTopicsCheck.class);

    private static final String AUTO_CREATION = "auto.create.topics.enable";

    /** So many own topics are looked at: an answer has all settings of each. */
    private static final int MOST_LOOKED_AT = 100;

    /** How long Kafka is waited for where no answer is needed. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final KafkaConfig config;
    private final AppTopicsConfig apps;

    private AppTopicsCheck(KafkaConfig config, AppTopicsConfig apps) {
        this.config = config;
        this.apps = apps;
    }

    /**
     * Checks the topic that clients share, if it is there: which partition a client is in depends on their number, and
     * other settings lose messages. The log warns of what may be on purpose. Blocks, for at most the configured time
     * and a few seconds.
     *
     * @throws KafkaAccessException when it is not as it must be, a sentence for each thing that is wrong, or Kafka does
     *     not answer
     */
    public static void check(KafkaConfig config, AppTopicsConfig apps) {
        AppTopicsCheck check = new AppTopicsCheck(config, apps);
        List<String> faults = check.faultsOfShared();
        if (!faults.isEmpty()) {
            throw new KafkaAccessException(String.join("\n", faults));
        }
        remarks(config, apps, check.settings()).forEach(remark -> LOG.warn("{}", remark));
    }

    private List<String> faultsOfShared() {
        TopicRules rules = apps.rules(config, TopicNames.shared(config), 1);
        KafkaTopics.Existing topic = KafkaTopics.existing(config, rules);
        if (topic == null) {
            return List.of();
        }
        List<String> faults = new ArrayList<>();
        if (topic.partitions() != apps.sharedPartitions()) {
            faults.add("topic " + rules.topic() + ": it has " + topic.partitions() + " partitions, configured are "
                    + apps.sharedPartitions()
                    + ", and which one a client's messages are in depends on their number; set"
                    + " tributary.cluster.applications.shared-partitions to the number with which it was made.");
        }
        faults.addAll(rules.faultsOfExisting(topic.found(), topic.settings()));
        return faults;
    }

    /** Settings of a server and of topics of applications, as far as Kafka tells them soon, and may. */
    private Map<ConfigResource, Config> settings() {
        Admin admin = KafkaTopics.connect(config);
        try {
            Map<ConfigResource, Config> told = new HashMap<>(
                    settings(admin, () -> topics(soon(admin.listTopics().names()))));
            told.putAll(
                    settings(admin, () -> server(soon(admin.describeCluster().nodes()))));
            return told;
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private Map<ConfigResource, Config> settings(Admin admin, Supplier<List<ConfigResource>> asked) {
        try {
            return soon(admin.describeConfigs(asked.get()).all());
        } catch (KafkaAccessException e) {
            LOG.debug("Kafka does not tell settings", e);
            return Map.of();
        }
    }

    private List<ConfigResource> topics(Collection<String> names) {
        String shared = TopicNames.shared(config);
        String own = TopicNames.ownPrefix(config);
        String groups = TopicNames.groupPrefix(config);
        return names.stream()
                .filter(name -> name.equals(shared) || name.startsWith(own) || name.startsWith(groups))
                .sorted(Comparator.comparing((String name) -> !name.equals(shared))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MOST_LOOKED_AT)
                .map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name))
                .toList();
    }

    private static List<ConfigResource> server(Collection<Node> nodes) {
        return nodes.stream()
                .limit(1)
                .map(node -> new ConfigResource(ConfigResource.Type.BROKER, node.idString()))
                .toList();
    }

    private <T> T soon(KafkaFuture<T> answer) {
        return KafkaTopics.await(config, answer, PATIENCE);
    }

    /** What may be on purpose and may be not, a sentence each. */
    static List<String> remarks(KafkaConfig config, AppTopicsConfig apps, Map<ConfigResource, Config> told) {
        List<String> remarks = new ArrayList<>();
        TreeMap<String, String> retentions = new TreeMap<>();
        told.forEach((resource, settings) -> {
            if (resource.type() == ConfigResource.Type.TOPIC) {
                String other = apps.rules(config, resource.name(), 1).otherRetention(settings);
                if (other != null) {
                    retentions.put(resource.name(), other);
                }
            } else if (isOn(settings.get(AUTO_CREATION))) {
                remarks.add("Kafka's server " + resource.name() + " has " + AUTO_CREATION
                        + "=true, and creates topics that were deleted with settings by which messages are lost: set it"
                        + " to false");
            }
        });
        if (!retentions.isEmpty()) {
            Map.Entry<String, String> first = retentions.firstEntry();
            remarks.add("topic " + first.getKey() + " has a retention of its own, retention.ms=" + first.getValue()
                    + ", and so have " + (retentions.size() - 1) + " more of applications: what is configured,"
                    + " tributary.cluster.applications.retention and shared-retention, is for topics that are made from"
                    + " now on. Where that is not on purpose, change them with kafka-configs.sh --bootstrap-server "
                    + config.bootstrapServers() + " --alter --topic " + first.getKey() + " --add-config retention.ms=");
        }
        return remarks;
    }

    private static boolean isOn(@Nullable ConfigEntry setting) {
        return setting != null && Boolean.parseBoolean(setting.value());
    }
}
