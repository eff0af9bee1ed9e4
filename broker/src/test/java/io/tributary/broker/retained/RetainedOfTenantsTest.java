package io.tributary.broker.retained;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.fake.InMemoryReplicatedMap;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantRecorder;
import io.tributary.broker.tenant.TenantUse;
import io.tributary.broker.tenant.Tenants;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.event.TenantNames;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Retained messages of tenants, which have limits of their own beside those of the broker. */
class RetainedOfTenantsTest {
    private final List<String> refused = new ArrayList<>();
    private final Tenants tenants = new Tenants(name -> new TenantRecorder.Counts() {
        @Override
        public void refused(Limit limit) {
            refused.add(name + " " + limit);
        }
    });
    private InMemoryReplicatedMap map = new InMemoryReplicatedMap();
    private RetainedMessages retained = open(RetainedLimits.defaults());

    @BeforeEach
    void start() {
        retained.start().toCompletableFuture().join();
    }

    @Test
    void oneMessageTooManyIsRefusedAndTheOthersCanBeReplacedAndRemoved() {
        limit("acme", Limit.RETAINED_MESSAGES, 2);
        assertThat(store("acme", "a", "1")).isTrue();
        assertThat(store("acme", "b", "1")).isTrue();
        assertThat(store("acme", "c", "1")).isFalse();
        assertThat(store("acme", "b", "22")).isTrue();
        assertThat(store("other", "c", "1")).isTrue();
        assertThat(store(null, "c", "1")).isTrue();
        assertThat(refused).containsExactly("acme RETAINED_MESSAGES");
        assertThat(store("acme", "a", "")).isTrue();
        assertThat(store("acme", "c", "1")).isTrue();
        assertThat(retained.count()).isEqualTo(4);
    }

    @Test
    void bytesAreLimitedByTheByte() {
        long size = RetainedBudget.sizeOf(message("acme", "a", "1"));
        limit("acme", Limit.RETAINED_BYTES, 2 * size);
        assertThat(store("acme", "a", "1")).isTrue();
        assertThat(store("acme", "b", "22")).isFalse();
        assertThat(store("acme", "b", "1")).isTrue();
        assertThat(store("acme", "b", "22")).isFalse();
        assertThat(retained.byTenant()).isEqualTo(Map.of("acme", TenantUse.ofRetained(2, 2 * size)));
        assertThat(refused).containsExactly("acme RETAINED_BYTES", "acme RETAINED_BYTES");
    }

    @Test
    void brokersOwnLimitHoldsForTenantsToo() {
        map = map.reopen();
        retained = open(new RetainedLimits(1, 1_000));
        start();
        assertThat(store("acme", "a", "1")).isTrue();
        assertThat(store("acme", "b", "1")).isFalse();
        assertThat(use().retainedMessages()).isEqualTo(1);
        assertThat(refused).isEmpty();
    }

    @Test
    void tenantIsForgottenWithItsLastMessage() {
        store("acme", "a", "1");
        store("acme", "b", "1");
        store("acme", "a", "");
        assertThat(retained.byTenant()).containsOnlyKeys("acme");
        store("acme", "b", "");
        store("acme", "never", "");
        assertThat(retained.byTenant()).isEmpty();
    }

    /** What is there may be more than a limit that was set later. */
    @Test
    void limitBelowWhatIsThereRefusesWhatComes() {
        store("acme", "a", "1");
        store("acme", "b", "1");
        limit("acme", Limit.RETAINED_MESSAGES, 1);
        assertThat(store("acme", "a", "2")).isTrue();
        assertThat(store("acme", "a", "")).isTrue();
        assertThat(store("acme", "a", "1")).isFalse();
        store("acme", "b", "");
        assertThat(store("acme", "a", "1")).isTrue();
    }

    @Test
    void messagesOfOtherNodesAndEarlierStartsCount() {
        limit("acme", Limit.RETAINED_MESSAGES, 2);
        store("acme", "a", "1");
        map.changeFromElsewhere(
                TenantNames.topic("acme", "b"), StateCodec.encodeMessage(message("acme", "b", "1"), null, 1));
        assertThat(store("acme", "c", "1")).isFalse();
        map = map.reopen();
        retained = open(RetainedLimits.defaults());
        start();
        assertThat(use().retainedMessages()).isEqualTo(2);
        assertThat(store("acme", "c", "1")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {3, Long.MAX_VALUE})
    void countsAreRightWhenManyThreadsStoreAndRemove(long limit) throws InterruptedException {
        limit("acme", Limit.RETAINED_MESSAGES, limit);
        CountDownLatch done = new CountDownLatch(4);
        for (int writer = 0; writer < 4; writer++) {
            Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 5_000; i++) {
                    store("acme", "t" + ThreadLocalRandom.current().nextInt(8), i % 3 == 0 ? "" : "x");
                }
                done.countDown();
            });
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        long left = use().retainedMessages();
        assertThat(left).isEqualTo(retained.count()).isEqualTo(map.size()).isLessThanOrEqualTo(limit);
        for (int i = 0; i < 8; i++) {
            store("acme", "t" + i, "");
        }
        assertThat(retained.byTenant()).isEmpty();
        assertThat(retained.bytes()).isZero();
    }

    private TenantUse use() {
        return retained.byTenant().getOrDefault("acme", TenantUse.NOTHING);
    }

    private RetainedMessages open(RetainedLimits limits) {
        return new RetainedMessages(map, limits, InstantSource.system(), RecordFormat.alone(), tenants);
    }

    private void limit(String tenant, Limit limit, long value) {
        tenants.changed(null, new TenantLimits(tenant, Map.of(limit, value)));
    }

    private boolean store(@Nullable String tenant, String topic, String payload) {
        return retained.store(message(tenant, topic, payload))
                .toCompletableFuture()
                .join();
    }

    private static Message message(@Nullable String tenant, String topic, String payload) {
        return new Message(
                TenantNames.topic(tenant, topic),
                payload.getBytes(UTF_8),
                QoS.AT_LEAST_ONCE,
                true,
                PublishProperties.NONE,
                Message.NEVER,
                "publisher");
    }
}
