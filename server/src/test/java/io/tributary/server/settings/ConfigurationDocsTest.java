package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.GeneratedDoc;
import io.tributary.server.settings.SettingCatalog.Setting;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConfigurationDocsTest {

    @Test
    void committedReferenceIsThatOfTheCode() throws Exception {
        String template = GeneratedDoc.template(getClass(), "configuration.md");
        GeneratedDoc.assertUpToDate("configuration.md", template.replace("{{settings}}", sections()));
    }

    @Test
    void everySettingIsDescribed() throws Exception {
        SettingDescriptions descriptions = SettingDescriptions.read();
        assertThat(SettingCatalog.all())
                .allSatisfy(setting -> assertThat(describe(descriptions, setting))
                        .as(setting.name())
                        .endsWith("."));
    }

    private static String sections() throws IOException {
        SettingDescriptions descriptions = SettingDescriptions.read();
        Map<String, List<Setting>> groups = SettingCatalog.all().stream()
                .filter(setting -> !setting.name().startsWith("tributary.listeners.<name>.limits."))
                .collect(Collectors.groupingBy(ConfigurationDocsTest::group, LinkedHashMap::new, Collectors.toList()));
        return groups.entrySet().stream()
                .map(group -> section(descriptions, group.getKey(), group.getValue()))
                .collect(Collectors.joining("\n"));
    }

    private static String section(SettingDescriptions descriptions, String group, List<Setting> settings) {
        String rows =
                settings.stream().map(setting -> row(descriptions, setting)).collect(Collectors.joining("\n"));
        return """
                ### `%s`

                %s

                | setting | type | default | allowed | what it does |
                | --- | --- | --- | --- | --- |
                %s
                """.formatted(group, descriptions.ofGroup(settings.getFirst().group()), rows);
    }

    private static String row(SettingDescriptions descriptions, Setting setting) {
        String value = setting.defaultValue();
        return "| `%s` | %s | %s | %s | %s |"
                .formatted(
                        setting.name().substring(group(setting).length() + 1),
                        setting.type(),
                        value.isEmpty() ? "none" : "`" + value + "`",
                        setting.allowed(),
                        describe(descriptions, setting))
                .replace("|  |", "| |");
    }

    private static String describe(SettingDescriptions descriptions, Setting setting) {
        return descriptions.ofComponent(setting.group(), setting.parameter().getName());
    }

    private static String group(Setting setting) {
        return setting.name().substring(0, setting.name().lastIndexOf('.'));
    }
}
