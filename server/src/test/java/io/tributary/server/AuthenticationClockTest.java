package io.tributary.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.BrokerConfig;
import io.tributary.broker.security.AuthenticationRecorder;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.server.settings.AgentCheckSettings;
import io.tributary.server.settings.SecurityConfig;
import io.tributary.server.settings.SecuritySettings;
import io.tributary.server.settings.ServerConfig;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuthenticationClockTest {
    private static final Instant NOW = Instant.ofEpochSecond(4_000_000_000L);

    /** Authenticators are made before the node is, and so before its clock. */
    @Test
    void tokensAndUsersEndByTheTimeOfTheNodeOnceThereIsOne() {
        ServerConfig config = new ServerConfig(
                BrokerConfig.builder(Path.of("data")).build(),
                new SecurityConfig(SecuritySettings.Anonymous.LOOPBACK, Map.of(), Map.of(), null, null),
                null,
                null,
                List.of(),
                new AgentCheckSettings("127.0.0.1", null));
        SecurityStore store = new SecurityStore(SecurityRecorder.NONE);
        try (Authentication authentication = Authentication.open(config, null, store, AuthenticationRecorder.NONE)) {
            assertThat(authentication.context().clock().instant()).isBefore(NOW);
            open(store);
            assertThat(authentication.context().clock().instant()).isEqualTo(NOW);
            store.close();
            assertThat(authentication.context().clock().instant())
                    .as("while it begins anew")
                    .isEqualTo(NOW);
        }
    }

    private static void open(SecurityStore store) {
        Map<String, ReplicatedMap> maps = new HashMap<>();
        SecurityTable.mapNames().forEach(name -> maps.put(name, empty(ReplicatedMap.class)));
        SecurityStore.Node node = new SecurityStore.Node(
                () -> 1, OwnerLink.NONE, () -> NOW, RecordFormat.alone(), () -> true, empty(AuditLog.class));
        CompletionStage<@Nullable Void> _ = store.open(maps, node, (_, _, _) -> {});
    }

    /** One in which there never is anything. */
    private static <T> T empty(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, _, _) -> CompletableFuture.completedFuture(null)));
    }
}
