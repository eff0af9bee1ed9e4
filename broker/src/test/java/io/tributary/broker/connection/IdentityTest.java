package io.tributary.broker.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.security.Authorizer;
import io.tributary.broker.security.ClientInfo;
import io.tributary.common.event.ClientKind;
import io.tributary.common.mqtt.ProtocolVersion;
import org.junit.jupiter.api.Test;

class IdentityTest {
    @Test
    void publishesThroughItsShardWhileTheSessionLasts() {
        assertThat(identity(true, false).publisher().persistent()).isTrue();
        assertThat(identity(true, true).publisher().persistent()).isTrue();
    }

    @Test
    void publishesThroughItsShardWhenResumedForTheLastTime() {
        assertThat(identity(false, true).publisher().persistent())
                .as("whether earlier messages of the session are overtaken")
                .isTrue();
    }

    @Test
    void publishesDirectlyWhenTheSessionIsTheConnection() {
        assertThat(identity(false, false).publisher().persistent()).isFalse();
    }

    private static Identity identity(boolean persistent, boolean sessionPresent) {
        ClientInfo client = new ClientInfo("c", null, ProtocolVersion.MQTT_5, "127.0.0.1:1", "tcp");
        return new Identity(
                "c",
                new ClientPermissions(Authorizer.allowAll(), client),
                1,
                new Attached(2, 3, sessionPresent, ClientKind.DEVICE, new int[0], 50),
                persistent,
                null);
    }
}
