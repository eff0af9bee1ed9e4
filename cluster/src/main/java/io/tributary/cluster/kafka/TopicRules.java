package io.tributary.cluster.kafka;

import io.tributary.persistence.audit.AuditLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

/**
 * How one topic has to be set up: makes it so, and says in sentences where one that exists is not. Safe for all
 * threads.
 */
public final class TopicRules {
    private static final String SEGMENT_BYTES = Integer.toString(64 * 1024 * 1024);
    private static final String DIRTY_RATIO = "0.2";
    /** No topic of a cluster that is open for writing takes less. */
    private static final int LEAST_OF_A_CLUSTER_BYTES = 64 * 1024;

    private static final int NUMBER_BYTES = 64 * 1024;
    private static final int AUDIT_ENTRY_BYTES = AuditLog.LARGEST_ENTRY_BYTES + 1_024;
    private static final String NUMBERS_KEPT = "a topic that gets another number would be published again";
    private static final String APP_RETENTION_KEPT = "messages are kept as long as configured";
    private static final String LAYOUT_KEPT = "a cluster whose shards were changed would be taken for a new one";

    /** What an administrator may say of an application's topic, whatever is configured. */
    private static final Set<String> RETENTIONS =
            Set.of(TopicConfig.RETENTION_MS_CONFIG, TopicConfig.RETENTION_BYTES_CONFIG);

    private final String topic;
    private final int partitions;
    private final int replicationFactor;
    private final String bootstrapServers;
    private final Map<String, Rule> rules = new TreeMap<>();
    /** Not checked: what only makes replays short. */
    private final Map<String, String> hints = new TreeMap<>();

    private TopicRules(KafkaConfig config, String topic, int partitions, int largestRecordBytes) {
        this.topic = topic;
        this.partitions = partitions;
        this.replicationFactor = config.replicationFactor();
        this.bootstrapServers = config.bootstrapServers();
        rules.put(
                TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG,
                Rule.exactly("false", "a leader that lacks records would make them lost"));
        rules.put(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Rule.atLeast(largestRecordBytes, "the largest packet and what goes with it must fit"));
        if (replicationFactor >= 3) {
            rules.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, minInSync(replicationFactor));
        }
    }

    private static Rule minInSync(int copies) {
        return Rule.between(
                2,
                copies - 1,
                "what is acknowledged must survive the loss of a server, and writes must go on without it");
    }

    /** The rules of the shards' logs: a record is kept by time alone, and by the servers' time. */
    public static TopicRules shards(KafkaConfig config, TopicNeeds needs) {
        TopicRules topic = new TopicRules(config, config.shardsTopic(), needs.shards(), needs.largestRecordBytes());
        topic.rules.put(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                Rule.exactly(TopicConfig.CLEANUP_POLICY_DELETE, "a log has no keys to compact by"));
        topic.rules.put(
                TopicConfig.RETENTION_MS_CONFIG,
                Rule.retention(needs.retention().toMillis(), "the state is rebuilt from what may still be queued"));
        topic.rules.put(
                TopicConfig.RETENTION_BYTES_CONFIG,
                Rule.exactly("-1", "much traffic would delete what is still queued"));
        topic.rules.put(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                Rule.exactly("LogAppendTime", "a node's wrong clock would delete a log"));
        return topic;
    }

    /**
     * The rules of a topic of applications: records are kept for a time or for ever, by the servers' time.
     *
     * @param retentionMillis how long, or -1 for ever
     */
    public static TopicRules app(
            KafkaConfig config, String name, int partitions, long retentionMillis, int largestRecordBytes) {
        TopicRules topic = new TopicRules(config, name, partitions, largestRecordBytes);
        topic.rules.put(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                Rule.exactly(TopicConfig.CLEANUP_POLICY_DELETE, "several messages have the same MQTT topic"));
        topic.rules.put(
                TopicConfig.RETENTION_MS_CONFIG,
                retentionMillis < 0
                        ? Rule.exactly("-1", APP_RETENTION_KEPT)
                        : Rule.retention(retentionMillis, APP_RETENTION_KEPT));
        topic.rules.put(
                TopicConfig.RETENTION_BYTES_CONFIG,
                Rule.exactly("-1", "much traffic would delete what is not acknowledged"));
        topic.rules.put(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                Rule.exactly("LogAppendTime", "a node's wrong clock would delete messages"));
        topic.hints.put(TopicConfig.SEGMENT_BYTES_CONFIG, SEGMENT_BYTES);
        return topic;
    }

    /** The rules of a map: the latest record of each key is kept for ever, in one partition. */
    static TopicRules map(KafkaConfig config, TopicNeeds needs, String name) {
        TopicRules topic = new TopicRules(config, config.mapTopic(name), 1, needs.largestMapRecordBytes());
        topic.rules.put(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                Rule.exactly(TopicConfig.CLEANUP_POLICY_COMPACT, "entries are kept until they are removed"));
        topic.rules.put(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                Rule.exactly("LogAppendTime", "nodes have their time from the servers"));
        topic.hints.put(TopicConfig.SEGMENT_BYTES_CONFIG, SEGMENT_BYTES);
        topic.hints.put(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, DIRTY_RATIO);
        return topic;
    }

    /**
     * The rules of the numbers of ingest partitions: every record is kept for ever, in one partition, with its offset.
     */
    public static TopicRules numbers(KafkaConfig config) {
        return keptForEver(
                config, config.ingestTopic(), "the first record of a key counts, not the latest", NUMBERS_KEPT);
    }

    /** The rules of the record of generations of shards: every record is kept for ever, in one partition. */
    public static TopicRules layout(KafkaConfig config) {
        return keptForEver(config, config.layoutTopic(), "what counts depends on all that was before", LAYOUT_KEPT);
    }

    /** Why every record is kept, and not the latest of a key; why for ever. */
    private static TopicRules keptForEver(KafkaConfig config, String name, String whyEach, String whyForEver) {
        TopicRules topic = new TopicRules(config, name, 1, NUMBER_BYTES);
        topic.rules.put(TopicConfig.CLEANUP_POLICY_CONFIG, Rule.exactly(TopicConfig.CLEANUP_POLICY_DELETE, whyEach));
        topic.rules.put(TopicConfig.RETENTION_MS_CONFIG, Rule.exactly("-1", whyForEver));
        topic.rules.put(TopicConfig.RETENTION_BYTES_CONFIG, Rule.exactly("-1", whyForEver));
        return topic;
    }

    /** The rules of the audit log: entries are kept by time alone, and by the servers' time. */
    public static TopicRules audit(KafkaConfig config) {
        TopicRules topic = new TopicRules(config, config.auditTopic(), 1, AUDIT_ENTRY_BYTES);
        topic.rules.put(
                TopicConfig.CLEANUP_POLICY_CONFIG,
                Rule.exactly(TopicConfig.CLEANUP_POLICY_DELETE, "an entry has no key to compact by"));
        topic.rules.put(
                TopicConfig.RETENTION_MS_CONFIG,
                Rule.retention(
                        Duration.ofDays(AuditLog.RETENTION_DAYS).toMillis(),
                        "who changed what must be found for so long"));
        topic.rules.put(
                TopicConfig.RETENTION_BYTES_CONFIG,
                Rule.exactly("-1", "many changes would delete what was changed before"));
        topic.rules.put(
                TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
                Rule.exactly("LogAppendTime", "a node's wrong clock would delete entries"));
        return topic;
    }

    /** Its name. */
    public String topic() {
        return topic;
    }

    /** The largest record that the topic takes with the settings that it has, which are as they must be. */
    int largestRecordBytes(Map<String, String> settings) {
        return Integer.parseInt(settings.getOrDefault(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "0"));
    }

    /**
     * The largest record, in bytes, that the topic is to take, where it takes less than that: nodes were configured for
     * larger packets. Nothing where it takes enough, and where it is closed for writing.
     */
    OptionalInt raised(Map<String, String> settings) {
        return raised(settings, 0);
    }

    /**
     * The same for a topic that is to take a certain record, in bytes, too: it may come from a node that is configured
     * for larger packets than this one.
     */
    public OptionalInt raised(Map<String, String> settings, int recordBytes) {
        Rule rule = Objects.requireNonNull(rules.get(TopicConfig.MAX_MESSAGE_BYTES_CONFIG));
        int now = largestRecordBytes(settings);
        int needed = Math.max(Integer.parseInt(rule.initial()), recordBytes);
        return now >= LEAST_OF_A_CLUSTER_BYTES && now < needed ? OptionalInt.of(needed) : OptionalInt.empty();
    }

    /** The change of the setting that has it take records of so many bytes. */
    public static AlterConfigOp maxRecordBytes(int bytes) {
        ConfigEntry entry = new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(bytes));
        return new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
    }

    /**
     * Whether a topic looks as if it was created by these rules. How long it keeps records, and how large these may be,
     * may have been configured otherwise then. What others create lacks settings of its own, or has another number of
     * partitions.
     */
    public boolean isCreatedBySuch(TopicDescription found, Config settings) {
        return found.partitions().size() == partitions
                && hints.keySet().stream().allMatch(name -> own(settings, name) != null)
                && rules.entrySet().stream()
                        .filter(rule ->
                                rule.getValue().isWord() || rule.getKey().equals(TopicConfig.RETENTION_MS_CONFIG))
                        .allMatch(rule -> isAsCreated(rule.getKey(), rule.getValue(), own(settings, rule.getKey())));
    }

    private static boolean isAsCreated(String name, Rule rule, @Nullable String value) {
        return value != null && (name.equals(TopicConfig.RETENTION_MS_CONFIG) || rule.admits(value));
    }

    /** What was said of this topic itself; null where it has a value that holds for all topics. */
    private static @Nullable String own(Config settings, String name) {
        ConfigEntry entry = settings.get(name);
        return entry != null && entry.source() == ConfigSource.DYNAMIC_TOPIC_CONFIG ? entry.value() : null;
    }

    /** What Kafka is told to create. */
    public NewTopic newTopic() {
        Map<String, String> settings = new TreeMap<>(hints);
        rules.forEach((name, rule) -> settings.put(name, rule.initial()));
        return new NewTopic(topic, partitions, (short) replicationFactor).configs(settings);
    }

    /** The partitions that it has when it is set up as it must be. */
    List<TopicPartition> partitions() {
        return IntStream.range(0, partitions)
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
    }

    /** The partitions that it has beyond these. */
    public List<TopicPartition> partitionsBeyond(TopicDescription found) {
        return IntStream.range(partitions, found.partitions().size())
                .mapToObj(number -> new TopicPartition(topic, number))
                .toList();
    }

    /** Says that partitions are not used, for they were added later. */
    String hasUnused(int count) {
        return "topic " + topic + ": somebody has added " + count + " partitions to its " + partitions
                + "; they are ignored and do no harm. Kafka cannot take them away again; leave the configuration as it is.";
    }

    /**
     * What is wrong with the topic as it is, a sentence each.
     *
     * @param hasUnused whether those of its partitions that are too many never had a record
     * @param settings the values of its settings by name
     */
    List<String> faults(TopicDescription found, boolean hasUnused, Map<String, String> settings) {
        List<String> faults = new ArrayList<>();
        int foundPartitions = found.partitions().size();
        if (foundPartitions != partitions && !hasUnused) {
            faults.add("topic " + topic + ": it has " + foundPartitions + " partitions, needed are " + partitions
                    + ", for which shard a client is in depends on their number; " + mendPartitions(foundPartitions)
                    + ".");
        }
        addFaults(faults, found, settings, rules);
        return faults;
    }

    /**
     * What is wrong with the copies and settings of a topic of applications that was there, a sentence each. How much
     * it keeps may have been said of this topic itself, and then stands; how large records may be is raised if need be.
     */
    public List<String> faultsOfExisting(TopicDescription found, Config settings) {
        Map<String, Rule> checked = new TreeMap<>(rules);
        checked.remove(TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
        checked.keySet().removeIf(name -> RETENTIONS.contains(name) && own(settings, name) != null);
        List<String> faults = new ArrayList<>();
        addFaults(faults, found, values(settings), checked);
        return faults;
    }

    /**
     * How long a topic of applications keeps records, in milliseconds, if that was said of it itself and is not what a
     * new one would get; null otherwise.
     */
    public @Nullable String otherRetention(Config settings) {
        String value = own(settings, TopicConfig.RETENTION_MS_CONFIG);
        Rule rule = Objects.requireNonNull(rules.get(TopicConfig.RETENTION_MS_CONFIG));
        return rule.initial().equals(value) ? null : value;
    }

    /** The settings of a topic by their names. */
    public static Map<String, String> values(Config settings) {
        Map<String, String> values = new HashMap<>();
        settings.entries().forEach(entry -> values.put(entry.name(), entry.value()));
        return values;
    }

    private void addFaults(
            List<String> faults, TopicDescription found, Map<String, String> settings, Map<String, Rule> checked) {
        int foundReplicas = found.partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        if (foundReplicas < replicationFactor) {
            faults.add("topic " + topic + ": its replication factor is " + foundReplicas + ", needed is "
                    + replicationFactor + " as configured; add copies with kafka-reassign-partitions.sh, or configure a"
                    + " replication factor of " + foundReplicas + ".");
        }
        Map<String, Rule> needed = new TreeMap<>(checked);
        needed.computeIfPresent(
                TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
                (_, _) -> minInSync(Math.max(foundReplicas, replicationFactor))); // somebody may have added copies
        needed.forEach((name, rule) -> {
            String value = settings.getOrDefault(name, "unknown");
            if (!rule.admits(value)) {
                faults.add("topic " + topic + ": " + name + " is " + value + ", needed is " + rule.need() + ", for "
                        + rule.reason() + "; mend it with kafka-configs.sh --bootstrap-server " + bootstrapServers
                        + " --alter --topic " + topic + " --add-config " + name + "=" + rule.initial() + ".");
            }
        });
    }

    private String mendPartitions(int found) {
        return partitions == 1
                ? "create it anew with one partition"
                : "its cluster was made with " + found
                        + " shards: configure so many again if that was ever configured here, and change the number with"
                        + " `tributary cluster reshard`, or use another topic prefix."
                        + " If somebody has added partitions, do not: delete what others have written into them";
    }

    /**
     * What one setting has to be.
     *
     * @param lowest the lowest number admitted
     * @param highest the highest one
     * @param unlimited whether -1 stands for more than any number
     * @param initial what a new topic gets, and the only word admitted when it is not a number
     */
    private record Rule(long lowest, long highest, boolean unlimited, String initial, String reason) {

        static Rule exactly(String value, String reason) {
            return new Rule(0, -1, false, value, reason);
        }

        static Rule atLeast(long lowest, String reason) {
            return new Rule(lowest, Long.MAX_VALUE, false, Long.toString(lowest), reason);
        }

        static Rule between(long lowest, long highest, String reason) {
            return new Rule(lowest, highest, false, Long.toString(lowest), reason);
        }

        static Rule retention(long lowest, String reason) {
            return new Rule(lowest, Long.MAX_VALUE, true, Long.toString(lowest), reason);
        }

        boolean admits(String value) {
            if (isWord()) {
                return value.equals(initial);
            }
            try {
                long number = Long.parseLong(value);
                return (number >= lowest && number <= highest) || (unlimited && number == -1);
            } catch (NumberFormatException e) {
                return false;
            }
        }

        String need() {
            if (isWord()) {
                return initial;
            }
            return highest == Long.MAX_VALUE
                    ? "at least " + lowest
                    : lowest == highest ? initial : lowest + " to " + highest;
        }

        private boolean isWord() {
            return lowest > highest;
        }
    }
}
