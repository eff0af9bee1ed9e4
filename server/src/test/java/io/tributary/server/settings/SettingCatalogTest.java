package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.server.GeneratedDoc;
import io.tributary.server.settings.SettingCatalog.Setting;
import io.tributary.server.settings.check.Allowed;
import io.tributary.server.settings.check.Range;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

class SettingCatalogTest {

    /** Operators have these names in their files: one that changes or goes away needs a word in the changelog. */
    @Test
    void namesAndDefaultsAreAsPublished() throws Exception {
        String actual = SettingCatalog.all().stream()
                .filter(setting -> !setting.name().startsWith("tributary.listeners.<name>.limits."))
                .map(setting -> setting.name() + "=" + setting.defaultValue())
                .collect(Collectors.joining("\n", "", "\n"));
        assertThat(actual).isEqualTo(GeneratedDoc.template(getClass(), "settings.txt"));
    }

    @Test
    void everyLimitCanBeSetForOneListener() {
        List<String> names = SettingCatalog.all().stream().map(Setting::name).toList();
        assertThat(names)
                .filteredOn(name -> name.startsWith("tributary.limits."))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(names)
                        .contains(name.replace("tributary.limits.", "tributary.listeners.<name>.limits.")));
    }

    @Test
    void namesAreInKebabCase() {
        assertThat(SettingCatalog.all())
                .allSatisfy(setting -> assertThat(setting.name().replaceAll("[<>]|\\[<n>]", ""))
                        .matches("[a-z]+(-[a-z]+)*(\\.[a-z]+(-[a-z]+)*)*"));
    }

    @Test
    void defaultsAreInTheirRanges() {
        assertThat(SettingCatalog.all()).allSatisfy(setting -> {
            Allowed allowed = setting.parameter().getAnnotation(Allowed.class);
            if (allowed != null && !setting.defaultValue().isEmpty()) {
                assertThat(new Range(allowed).contains(value(setting)))
                        .as(setting.name())
                        .isTrue();
            }
        });
    }

    private static Object value(Setting setting) {
        Class<?> type = setting.parameter().getType();
        if (type == Duration.class) {
            return DurationStyle.detectAndParse(setting.defaultValue());
        }
        return type == DataSize.class ? DataSize.parse(setting.defaultValue()) : Long.valueOf(setting.defaultValue());
    }
}
