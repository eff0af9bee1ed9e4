package io.tributary.cluster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigType;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a topic of applications that was there is found to be. */
class TopicRulesTest {
    private static final KafkaConfig CONFIG = KafkaConfig.defaults("kafka:9092").withReplicationFactor(3);
    private static final String DAY = "86400000";

    private final TopicRules rules = TopicRules.app(CONFIG, "t.app.erp", 1, -1, 1_000_000);

    @Test
    void oneThatNodesHaveMadeIsGood() {
        assertThat(faults(rules, 3, Map.of())).isEmpty();
    }

    /** Its settings are those of Kafka's servers. */
    @Test
    void oneThatKafkaHasMadeByItselfIsNot() {
        Map<String, String> ofServers = Map.of(
                "cleanup.policy", "delete",
                "retention.ms", "604800000",
                "retention.bytes", "-1",
                "message.timestamp.type", "CreateTime",
                "unclean.leader.election.enable", "false",
                "min.insync.replicas", "1");
        Config settings = config(ofServers, ConfigSource.DEFAULT_CONFIG);
        assertThat(rules.faultsOfExisting(description(1), settings))
                .hasSize(4)
                .anyMatch(fault -> fault.contains("its replication factor is 1, needed is 3"))
                .anyMatch(fault -> fault.contains("min.insync.replicas is 1, needed is"))
                .anyMatch(fault -> fault.contains("message.timestamp.type is CreateTime, needed is LogAppendTime"))
                .anyMatch(fault -> fault.contains("retention.ms is 604800000, needed is -1")
                        && fault.contains("--alter --topic t.app.erp --add-config retention.ms=-1"));
    }

    @ParameterizedTest
    @CsvSource({
        "cleanup.policy, compact",
        "cleanup.policy, 'compact,delete'",
        "min.insync.replicas, 1",
        "min.insync.replicas, 3",
        "unclean.leader.election.enable, true",
        "message.timestamp.type, CreateTime",
    })
    void settingByWhichMessagesAreLostIsNamed(String name, String value) {
        assertThat(faults(rules, 3, Map.of(name, value)))
                .singleElement()
                .asString()
                .startsWith("topic t.app.erp: " + name + " is " + value + ", needed is ");
    }

    /** As for a session that another program reads for. */
    @Test
    void whatAnAdministratorHasItKeepStands() {
        assertThat(faults(rules, 3, Map.of("retention.ms", DAY, "retention.bytes", "1000")))
                .isEmpty();
        assertThat(rules.otherRetention(config(Map.of("retention.ms", DAY), ConfigSource.DYNAMIC_TOPIC_CONFIG)))
                .isEqualTo(DAY);
    }

    @Test
    void itMayKeepLongerThanConfiguredByTheServersToo() {
        TopicRules aDay = TopicRules.app(CONFIG, "t.app.erp", 1, Long.parseLong(DAY), 1_000_000);
        Map<String, String> settings = new TreeMap<>(aDay.newTopic().configs());
        settings.put("retention.ms", "604800000");
        assertThat(aDay.faultsOfExisting(description(3), config(settings, ConfigSource.DEFAULT_CONFIG)))
                .isEmpty();
        settings.put("retention.ms", "1000");
        assertThat(aDay.faultsOfExisting(description(3), config(settings, ConfigSource.DEFAULT_CONFIG)))
                .hasSize(1);
    }

    private static List<String> faults(TopicRules rules, int copies, Map<String, String> changed) {
        Map<String, String> settings = new TreeMap<>(rules.newTopic().configs());
        settings.putAll(changed);
        return rules.faultsOfExisting(description(copies), config(settings, ConfigSource.DYNAMIC_TOPIC_CONFIG));
    }

    private static Config config(Map<String, String> settings, ConfigSource source) {
        return new Config(settings.entrySet().stream()
                .map(each -> new ConfigEntry(
                        each.getKey(), each.getValue(), source, false, false, List.of(), ConfigType.UNKNOWN, null))
                .toList());
    }

    private static TopicDescription description(int copies) {
        List<Node> nodes = IntStream.range(0, copies)
                .mapToObj(id -> new Node(id, "host", 9092))
                .toList();
        return new TopicDescription(
                "t.app.erp", false, List.of(new TopicPartitionInfo(0, nodes.getFirst(), nodes, nodes)));
    }
}
