package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.metrics.BrokerMeters;
import io.tributary.server.settings.SettingCatalog.Setting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;

/** What is called a setting in the documentation, or given to the nodes of a local cluster, is one. */
class SettingsInDocsTest {
    private static final Pattern NAME =
            Pattern.compile("(?<![\\w.])(?<!\\w-)tributary\\.[a-z][a-z0-9<>-]*(\\.[a-z0-9<>-]+)*");
    private static final Set<String> FILES =
            Set.of("tributary.yaml", "tributary.properties", "tributary.service", "tributary.bash");
    private static final Pattern EXAMPLE = Pattern.compile("```yaml\\n(tributary:\\n.*?)```", Pattern.DOTALL);
    /** Topics of Kafka. */
    private static final Pattern TOPIC = Pattern.compile("tributary\\.((app|group)\\..*|apps?|shards)");

    private final List<Setting> settings = SettingCatalog.all();

    @Test
    void everySettingNamedInTheDocumentationExists() throws Exception {
        int settingsNamed = 0;
        for (Path file : documents()) {
            List<String> names = NAME.matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .toList();
            assertThat(names).as(file.getFileName().toString()).allMatch(this::isKnown);
            settingsNamed += names.size();
        }
        assertThat(settingsNamed).isGreaterThan(100);
    }

    @Test
    void everySettingOfAnExampleExists() throws Exception {
        int examples = 0;
        for (Path file : documents()) {
            for (MatchResult example :
                    EXAMPLE.matcher(Files.readString(file)).results().toList()) {
                assertThat(names(example.group(1)))
                        .as(file.toString())
                        .isNotEmpty()
                        .allMatch(this::isSetting);
                examples++;
            }
        }
        assertThat(examples).isGreaterThan(3);
    }

    /** Examples of a whole node: who follows them has one that probes, balancers and Prometheus reach. */
    @Test
    void nodesOfExamplesAreReachedByProbes() throws Exception {
        int nodes = 0;
        for (MatchResult example : EXAMPLE.matcher(Files.readString(Path.of("../docs/cluster.md")))
                .results()
                .toList()) {
            List<String> names = names(example.group(1));
            if (names.contains("tributary.cluster.link.host")) {
                assertThat(names).contains("server.address", "tributary.listeners.tcp.host");
                nodes++;
            }
        }
        assertThat(nodes).isEqualTo(2);
    }

    private static List<String> names(String yaml) throws IOException {
        return new YamlPropertySourceLoader()
                .load("example", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8))).stream()
                        .map(source -> (EnumerablePropertySource<?>) source)
                        .flatMap(source -> Stream.of(source.getPropertyNames()))
                        .toList();
    }

    private boolean isSetting(String name) {
        return name.equals("server.address") || SettingCatalog.knows(settings, ConfigurationPropertyName.of(name));
    }

    @Test
    void everySettingOfALocalClusterExists() throws Exception {
        Path nodes = Path.of("../local-cluster/src/main/java/io/tributary/localcluster/LocalNodes.java");
        List<String> given = NAME.matcher(Files.readString(nodes))
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(given).isNotEmpty().allMatch(this::isSetting);
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("..", "docs"))) {
            return Stream.concat(
                            Stream.of(Path.of("..", "README.md"), Path.of("..", "CONTRIBUTING.md")),
                            docs.filter(file -> file.toString().endsWith(".md")))
                    .collect(Collectors.toList());
        }
    }

    private boolean isKnown(String name) {
        return FILES.contains(name)
                || TOPIC.matcher(name).matches()
                || Stream.of(BrokerMeters.values())
                        .anyMatch(meter -> meter.meterName().equals(name))
                || settings.stream()
                        .anyMatch(setting -> setting.name().equals(name)
                                || setting.name().startsWith(name + ".")
                                || setting.name().startsWith(name + "["))
                || SettingCatalog.knows(settings, ConfigurationPropertyName.adapt(name.replaceAll("[<>]", ""), '.'));
    }
}
