package io.tributary.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tributary.broker.security.ClientRules.CertificateSubject;
import io.tributary.broker.security.ClientRules.ClientId;
import io.tributary.broker.security.ClientRules.Condition;
import io.tributary.broker.security.ClientRules.HasUserProperty;
import io.tributary.broker.security.ClientRules.Listener;
import io.tributary.broker.security.ClientRules.Rule;
import io.tributary.broker.security.ClientRules.UserName;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.ProtocolVersion;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientRulesTest {
    private static final ClientRules RULES = new ClientRules(List.of(
            rule(ClientKind.DEVICE, new ClientId(TextPattern.of("app-test-*"))),
            rule(
                    ClientKind.APPLICATION,
                    new ClientId(TextPattern.of("app-*")),
                    new UserName(TextPattern.of("service"))),
            rule(ClientKind.SMALL_APPLICATION, new CertificateSubject(TextPattern.of("regex:.*,OU=Dashboards,O=Acme"))),
            rule(ClientKind.APPLICATION, new Listener("back-end")),
            rule(ClientKind.SMALL_APPLICATION, new HasUserProperty(new UserProperty("role", "reader")))));

    /**
     * Columns: client identifier, user name, certificate's subject, listener, user properties, and what the client is.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            meter-1    |         |                           | tcp      |                      | DEVICE
            app-1      | service |                           | tcp      |                      | APPLICATION
            app-1      | meter   |                           | tcp      |                      | DEVICE
            app-1      |         |                           | tcp      |                      | DEVICE
            meter-1    | service |                           | tcp      |                      | DEVICE
            app-test-1 | service |                           | tcp      |                      | DEVICE
            app-test-1 | service |                           | back-end | role=reader          | DEVICE
            app-1      | service | CN=a,OU=Dashboards,O=Acme | back-end | role=reader          | APPLICATION
            wall       |         | CN=a,OU=Dashboards,O=Acme | back-end |                      | SMALL_APPLICATION
            wall       |         | CN=a,OU=Meters,O=Acme     | tcp      |                      | DEVICE
            wall       |         |                           | back-end |                      | APPLICATION
            wall       |         |                           | Back-end |                      | DEVICE
            wall       |         |                           | tcp      | role=reader          | SMALL_APPLICATION
            wall       |         |                           | tcp      | a=b role=x role=reader | SMALL_APPLICATION
            wall       |         |                           | tcp      | role=readers         | DEVICE
            ''         |         |                           | tcp      |                      | DEVICE
            """)
    void firstRuleWhoseConditionsAllHoldDecides(
            String clientId,
            @Nullable String userName,
            @Nullable String subject,
            String listener,
            @Nullable String userProperties,
            ClientKind kind) {
        List<UserProperty> properties = userProperties == null
                ? List.of()
                : List.of(userProperties.split(" ", -1)).stream()
                        .map(each -> each.split("=", 2))
                        .map(each -> new UserProperty(each[0], each[1]))
                        .toList();
        ClientInfo client = new ClientInfo(
                clientId,
                userName,
                ProtocolVersion.MQTT_5,
                "127.0.0.1:1",
                listener,
                subject,
                properties,
                ClientKind.DEVICE);
        assertThat(RULES.kindOf(client)).isEqualTo(kind);
    }

    @Test
    void everybodyIsADeviceWithoutRules() {
        ClientInfo client = new ClientInfo("app-1", "service", ProtocolVersion.MQTT_3_1_1, "127.0.0.1:1", "back-end");
        assertThat(ClientRules.NONE.kindOf(client)).isEqualTo(ClientKind.DEVICE);
    }

    @Test
    void ruleWithoutConditionIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> rule(ClientKind.APPLICATION));
    }

    private static Rule rule(ClientKind kind, Condition... conditions) {
        return new Rule(List.of(conditions), kind);
    }
}
