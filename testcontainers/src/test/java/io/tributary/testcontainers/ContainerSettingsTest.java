package io.tributary.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.security.password.PasswordHash;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** What the container is told, which takes no Docker engine. */
class ContainerSettingsTest {
    @Test
    void everybodyMayConnectWhenThereAreNoUsers() throws IOException {
        try (TributaryContainer broker = new TributaryContainer()) {
            assertThat(settings(broker))
                    .containsEntry("tributary.security.anonymous", "always")
                    .containsEntry("tributary.listeners.tcp.host", "0.0.0.0")
                    .doesNotContainKey("tributary.listeners.tls.port");
        }
    }

    @Test
    void allListenersAskWhenThereAreUsers() throws IOException {
        try (TributaryContainer broker =
                new TributaryContainer().withTls("certificate", "key").withUser("alice", "secret")) {
            assertThat(settings(broker))
                    .doesNotContainKey("tributary.security.anonymous")
                    .containsEntry("tributary.listeners.tcp.authentication", "users")
                    .containsEntry("tributary.listeners.ws.authentication", "users")
                    .containsEntry("tributary.listeners.tls.authentication", "users")
                    .containsEntry("tributary.listeners.tls.tls.private-key", "/etc/tributary/tls.key");
        }
    }

    @Test
    void valuesArriveAsTheyAreWhenTheyHaveSpecialCharacters() throws IOException {
        try (TributaryContainer broker = new TributaryContainer().withSetting("a.b", "c:\\d=é\n#")) {
            assertThat(settings(broker)).containsEntry("a.b", "c:\\d=é\n#");
        }
    }

    @Test
    void brokerTakesThePasswordWhenItIsRight() {
        String[] line = MosquittoHash.line("alice", "pässword").split(":", 2);

        assertThat(line[0]).isEqualTo("alice");
        PasswordHash hash = PasswordHash.parse(line[1]);
        assertThat(hash.matches("pässword".getBytes(StandardCharsets.UTF_8))).isTrue();
        assertThat(hash.matches("password".getBytes(StandardCharsets.UTF_8))).isFalse();
    }

    @Test
    void nameIsRefusedWhenTheFileCouldNotHaveIt() {
        try (TributaryContainer broker = new TributaryContainer()) {
            assertThatThrownBy(() -> broker.withUser("a:b", "secret"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("colon");
        }
    }

    private static Properties settings(TributaryContainer broker) throws IOException {
        Properties settings = new Properties();
        settings.load(new StringReader(broker.properties()));
        return settings;
    }
}
