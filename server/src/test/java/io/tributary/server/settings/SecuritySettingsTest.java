package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.server.settings.check.SettingException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class SecuritySettingsTest {

    /** As an environment variable without a value has it. */
    @Test
    void everybodyIsNotLetInWhenRulesAreEmpty() {
        SecuritySettings settings = new Binder(
                        new MapConfigurationPropertySource(Map.of("tributary.security.rules", "")))
                .bindOrCreate("tributary.security", SecuritySettings.class);
        assertThatExceptionOfType(SettingException.class)
                .isThrownBy(() -> settings.ruleSets("tributary.security", Set.of()))
                .withMessageStartingWith("tributary.security.rules: is empty");
    }
}
