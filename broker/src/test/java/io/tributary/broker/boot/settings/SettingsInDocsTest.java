package io.tributary.broker.boot.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.boot.settings.SettingCatalog.Setting;
import io.tributary.broker.metrics.BrokerMeters;
import java.io.IOException;
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

/** What is called a setting in the documentation is one. */
class SettingsInDocsTest {
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])tributary\\.[a-z][a-z0-9<>-]*(\\.[a-z0-9<>-]+)*");
    private static final Set<String> FILES = Set.of("tributary.yaml", "tributary.properties", "tributary.service");
    /** Topics of Kafka, in the text about what is to come. */
    private static final Pattern TOPIC = Pattern.compile("tributary\\.(app\\..*|app|shards)");

    private final List<Setting> settings = SettingCatalog.all();

    @Test
    void everySettingNamedInTheDocumentationExists() throws Exception {
        for (Path file : documents()) {
            List<String> unknown = NAME.matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .filter(name -> !isKnown(name))
                    .toList();
            assertThat(unknown).as(file.getFileName().toString()).isEmpty();
        }
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.list(Path.of("..", "docs"))) {
            return Stream.concat(
                            Stream.of(Path.of("..", "README.md")),
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
                        .anyMatch(setting ->
                                setting.name().equals(name) || setting.name().startsWith(name + "."))
                || SettingCatalog.knows(settings, ConfigurationPropertyName.adapt(name.replaceAll("[<>]", ""), '.'));
    }
}
