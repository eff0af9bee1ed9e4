package io.tributary.server.settings;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tributary.broker.security.SessionTakeover;
import io.tributary.server.settings.check.SettingException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SecuritySettingsTest {

    /** As an environment variable without a value has it. */
    @Test
    void everybodyIsNotLetInWhenRulesAreEmpty() {
        assertThatExceptionOfType(SettingException.class)
                .isThrownBy(() -> new SecuritySettings(
                                SecuritySettings.Anonymous.LOOPBACK,
                                SessionTakeover.PRINCIPAL,
                                null,
                                null,
                                List.of(),
                                null,
                                null,
                                null,
                                Map.of(),
                                List.of())
                        .ruleSets("tributary.security", Set.of()))
                .withMessageStartingWith("tributary.security.rules: is empty");
    }
}
