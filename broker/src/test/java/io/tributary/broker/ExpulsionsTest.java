package io.tributary.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.SharedReplicatedMap;
import io.tributary.broker.security.ClientInfo;
import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.OwnerLink;
import io.tributary.broker.security.store.SecurityRecorder;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.broker.security.store.StoredUser;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that are let in between two looks at all connections. */
class ExpulsionsTest {
    private final SecurityStore store = new SecurityStore(SecurityRecorder.NONE);
    private final List<ClientInfo> connected = new ArrayList<>();
    private final Expulsions expulsions = new Expulsions(store, (which, _) -> connected.removeIf(which));

    @BeforeEach
    void openStore() {
        Map<String, ReplicatedMap> maps = new HashMap<>();
        SecurityTable.mapNames().forEach(name -> maps.put(name, new SharedReplicatedMap().node()));
        AuditLog audit = (AuditLog) Proxy.newProxyInstance(
                AuditLog.class.getClassLoader(),
                new Class<?>[] {AuditLog.class},
                (_, _, _) -> CompletableFuture.completedFuture(null));
        CompletionStage<@Nullable Void> _ = store.open(
                maps,
                new SecurityStore.Node(
                        () -> 1, OwnerLink.NONE, () -> Instant.EPOCH, RecordFormat.alone(), () -> true, audit),
                expulsions);
        store.begin();
        expulsions.begin();
    }

    /** Whether it came by the former password does not show in a client. */
    @Test
    void clientWhoseLoginCrossesAChangeOfItsPasswordIsExpelled() {
        put(user(null, List.of()));
        put(user("$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA", List.of()));
        assertIsExpelledInTicks(user(null, List.of()), 2);
    }

    @Test
    void clientThatComesBackWithWhatItsUserHasByNowStays() {
        put(user(null, List.of("g")));
        put(user(null, List.of()));
        assertIsExpelledInTicks(user(null, List.of("g")), 30);
        put(user(null, List.of("g")));
        put(user(null, List.of()));
        assertIsExpelledInTicks(user(null, List.of()), 1);
    }

    /** A new client comes before each tick. */
    private void assertIsExpelledInTicks(StoredUser user, int ticks) {
        for (int i = 0; i < ticks; i++) {
            connected.add(ClientInfo.away("c" + i, null, user.principal()));
            expulsions.tick();
            assertThat(connected).as("after tick %d", i).isEmpty();
        }
        connected.add(ClientInfo.away("later", null, user.principal()));
        expulsions.tick();
        assertThat(connected).hasSize(1);
        connected.clear();
    }

    private void put(StoredUser user) {
        Change.Condition condition = store.user("r", "u") == null ? new Change.Absent() : new Change.Present();
        assertThat(store.change(Change.put(user, condition, "test", ""))
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(ChangeResult.Done.class);
    }

    private static StoredUser user(@Nullable String passwordHash, List<String> groups) {
        return new StoredUser("r", "u", 1, passwordHash, groups, null, null, Map.of(), false, null);
    }
}
