package io.tributary.cluster.kafka.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigType;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

class AppTopicsCheckTest {
    private static final KafkaConfig KAFKA = KafkaConfig.defaults("kafka:9092").withTopicPrefix("t");
    private static final ConfigResource SERVER = new ConfigResource(ConfigResource.Type.BROKER, "1");
    private static final ConfigResource OWN = new ConfigResource(ConfigResource.Type.TOPIC, "t.app.erp");
    private static final ConfigResource SHARED = new ConfigResource(ConfigResource.Type.TOPIC, "t.apps");

    @Test
    void nothingIsSaidOfWhatIsAsConfigured() {
        assertThat(remarks(Map.of(
                        SERVER,
                        setting("auto.create.topics.enable", "false", ConfigSource.STATIC_BROKER_CONFIG),
                        OWN,
                        setting("retention.ms", "-1", ConfigSource.DYNAMIC_TOPIC_CONFIG),
                        SHARED,
                        setting("retention.ms", "604800000", ConfigSource.DYNAMIC_TOPIC_CONFIG))))
                .isEmpty();
    }

    @Test
    void topicsWithARetentionOfTheirOwnAreNamed() {
        assertThat(remarks(Map.of(
                        OWN,
                        setting("retention.ms", "1000", ConfigSource.DYNAMIC_TOPIC_CONFIG),
                        SHARED,
                        setting("retention.ms", "-1", ConfigSource.DYNAMIC_TOPIC_CONFIG))))
                .singleElement()
                .asString()
                .startsWith("topic t.app.erp has a retention of its own, retention.ms=1000, and so have 1 more");
    }

    @Test
    void serverThatCreatesTopicsByItselfIsNamed() {
        assertThat(remarks(Map.of(SERVER, setting("auto.create.topics.enable", "true", ConfigSource.DEFAULT_CONFIG))))
                .singleElement()
                .asString()
                .startsWith("Kafka's server 1 has auto.create.topics.enable=true");
    }

    private static List<String> remarks(Map<ConfigResource, Config> told) {
        return AppTopicsCheck.remarks(KAFKA, AppTopicsConfig.defaults(), told);
    }

    private static Config setting(String name, String value, ConfigSource source) {
        return new Config(
                List.of(new ConfigEntry(name, value, source, false, false, List.of(), ConfigType.UNKNOWN, null)));
    }
}
