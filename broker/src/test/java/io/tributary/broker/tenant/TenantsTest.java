package io.tributary.broker.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.common.event.Exhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TenantsTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<String> refused = new ArrayList<>();
    private final Tenants tenants = new Tenants(name -> new TenantRecorder.Counts() {
        @Override
        public void refused(Limit limit) {
            refused.add(name + " " + limit);
        }
    });

    @Test
    void oneConnectionTooManyIsKnownWhenOthersAreThere() {
        limit("acme", Map.of(Limit.CONNECTIONS, 2L));
        TenantConnection first = tenants.enter("acme");
        TenantConnection second = tenants.enter("acme");
        TenantConnection third = tenants.enter("acme");
        assertThat(first.exhausted(_ -> 0)).isEqualTo(Exhausted.NOTHING);
        assertThat(second.exhausted(_ -> 0)).isEqualTo(Exhausted.NOTHING);
        assertThat(third.exhausted(_ -> 0)).isEqualTo(new Exhausted(true, false));
        third.close();
        third.close();
        first.close();
        assertThat(tenants.enter("acme").exhausted(_ -> 0)).isEqualTo(Exhausted.NOTHING);
        assertThat(tenants.enter("acme").exhausted(_ -> 0)).isEqualTo(new Exhausted(true, false));
        assertThat(tenants.enter("other").exhausted(_ -> 0)).isEqualTo(Exhausted.NOTHING);
    }

    @Test
    void sessionsOfThisNodeAndOthersCount() {
        limit("acme", Map.of(Limit.SESSIONS, 5L));
        TenantConnection connection = tenants.enter("acme");
        assertThat(connection.exhausted(_ -> 4).sessions()).isFalse();
        assertThat(connection.exhausted(_ -> 5).sessions()).isTrue();
        tell("b#1", "acme", TenantUse.ofSessions(2, 0));
        tell("c#1", "acme", TenantUse.ofSessions(1, 0));
        assertThat(connection.exhausted(_ -> 1).sessions()).isFalse();
        assertThat(connection.exhausted(_ -> 2).sessions()).isTrue();
        tell("b#1", "acme", TenantUse.ofSessions(1, 0));
        assertThat(connection.exhausted(_ -> 2).sessions()).isFalse();
    }

    @Test
    void roomForSubscriptionsIsWhatIsLeft() {
        TenantConnection connection = tenants.enter("acme");
        assertThat(connection.roomForSubscriptions(_ -> 7)).isEqualTo(Long.MAX_VALUE);
        limit("acme", Map.of(Limit.SUBSCRIPTIONS, 10L));
        tell("b#1", "acme", TenantUse.ofSubscriptions(99, 2));
        assertThat(connection.roomForSubscriptions(_ -> 7)).isEqualTo(1);
        limit("acme", Map.of());
        assertThat(connection.roomForSubscriptions(_ -> 7)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void useOfAllNodesIsShown() {
        limit("acme", Map.of(Limit.CONNECTIONS, 100L));
        TenantConnection connection = tenants.enter("acme");
        TenantUse here = new TenantUse(1, 2, 3, 4, 5, 6, 7);
        List<byte[]> told = tenants.tick(Map.of("acme", here), 2);
        tell("b#1", "acme", new TenantUse(10, 20, 30, 40, 50, 60, 70));
        assertThat(tenants.use("acme")).isEqualTo(new TenantUse(11, 22, 3, 44, 5, 6, 77));
        assertThat(TenantReport.decode(told.getFirst()))
                .containsExactly(new TenantReport.Line("acme", new TenantUse(1, 2, 0, 4, 0, 0, 7)));
        connection.close();
        assertThat(tenants.use("acme").connections()).isEqualTo(10);
        assertThat(tenants.use("nobody")).isEqualTo(TenantUse.NOTHING);
    }

    @Test
    void othersAreToldOfWhatChangesAndNowAndThenOfAll() {
        limit("acme", Map.of(Limit.CONNECTIONS, 100L));
        Map<String, TenantUse> used = Map.of("acme", TenantUse.ofConnections(1), "free", TenantUse.ofConnections(9));
        TenantConnection _ = tenants.enter("free");
        assertThat(tenants.tick(used, 2)).hasSize(1);
        assertThat(tenants.tick(used, 2)).isEmpty();
        assertThat(tenants.tick(used, 2)).isEmpty();
        assertThat(tenants.tick(used, 2)).hasSize(1);
        assertThat(TenantReport.decode(tenants.tick(Map.of(), 2).getFirst()))
                .containsExactly(new TenantReport.Line("acme", TenantUse.NOTHING));
        for (int i = 0; i < 8; i++) {
            assertThat(tenants.tick(Map.of(), 2)).isEmpty();
        }
    }

    @Test
    void reportsAreOfLimitedLength() {
        Map<String, TenantUse> used = IntStream.range(0, 450)
                .boxed()
                .collect(Collectors.toMap(i -> "t" + i, _ -> TenantUse.ofConnections(1)));
        used.keySet().forEach(name -> limit(name, Map.of(Limit.CONNECTIONS, 1L)));
        List<byte[]> reports = tenants.tick(used, 2);
        assertThat(reports).hasSize(3);
        assertThat(reports.stream().flatMap(report -> TenantReport.decode(report).stream()))
                .hasSize(450);
    }

    @Test
    void whatIsNoReportChangesNothing() {
        limit("acme", Map.of(Limit.CONNECTIONS, 1L));
        tenants.told("b#1", new byte[] {9, 9});
        tenants.told("b#1", new byte[0]);
        tell("b#1", "unknown", TenantUse.ofConnections(5));
        assertThat(tenants.elsewhere("acme")).isEqualTo(TenantUse.NOTHING);
        assertThat(tenants.elsewhere("unknown")).isEqualTo(TenantUse.NOTHING);
    }

    @Test
    void silentNodeCountsNoLongerThanTenSeconds() {
        Tenant tenant = new Tenant("acme");
        tenant.said("b#1", TenantUse.ofConnections(3), 0);
        tenant.tick(TenantUse.NOTHING, 2, 10 * SECOND);
        assertThat(tenant.elsewhere().connections()).isEqualTo(3);
        tenant.tick(TenantUse.NOTHING, 2, 10 * SECOND + 1);
        assertThat(tenant.elsewhere().connections()).isZero();
    }

    @Test
    void tenantWithNothingIsForgotten() {
        List<String> connected = new ArrayList<>();
        tenants.enter("acme").close();
        tenants.forEachConnected((name, _) -> connected.add(name));
        assertThat(connected).isEmpty();
        tell("b#1", "acme", TenantUse.ofConnections(5));
        assertThat(tenants.elsewhere("acme")).isEqualTo(TenantUse.NOTHING); // there is nobody to remember it
        limit("acme", Map.of(Limit.CONNECTIONS, 1L));
        limit("acme", Map.of());
        tell("b#1", "acme", TenantUse.ofConnections(5));
        assertThat(tenants.elsewhere("acme")).isEqualTo(TenantUse.NOTHING);
    }

    /** Two connections take turns, each in tokens of its own; what they publish together is what the rate allows. */
    @Test
    void connectionsShareARateWhateverEachTakesAtOnce() {
        for (long perSecond : new long[] {3, 1_000, 50_000}) {
            limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, perSecond));
            long published = publishedIn(10, tenants.enter("acme"), tenants.enter("acme"), 100);
            assertThat(published)
                    .as("10 s, and a second's worth at once, of %s", perSecond)
                    .isBetween(11 * perSecond - 64, 11 * perSecond + 2 * 64);
        }
        assertThat(refused).isNotEmpty().allMatch("acme MESSAGES_PER_SECOND"::equals);
    }

    @Test
    void bytesAreLimitedAsMessagesAre() {
        limit("acme", Map.of(Limit.BYTES_PER_SECOND, 1_000_000L));
        long published = publishedIn(10, tenants.enter("acme"), tenants.enter("acme"), 1_000);
        assertThat(published).isBetween(11_000L, 11_000L + 4);
        assertThat(refused).isNotEmpty().allMatch("acme BYTES_PER_SECOND"::equals);
    }

    @Test
    void nodesShareARate() {
        limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, 100L));
        tenants.tick(Map.of(), 4);
        assertThat(publishedIn(1, tenants.enter("acme"), tenants.enter("acme"), 1))
                .isBetween(2L * 25, 2L * 25 + 2);
    }

    @Test
    void rateOfZeroStopsAndAnotherOneLetsGoOn() {
        limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, 0L));
        TenantConnection connection = tenants.enter("acme");
        assertThat(connection.publishes(1, () -> 0)).isEqualTo(Long.MAX_VALUE);
        limit("acme", Map.of());
        assertThat(connection.publishes(1, () -> 0)).isZero();
    }

    @Test
    void rateThatIsTheSameGoesOnWhenAnotherLimitChanges() {
        limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, 1L));
        TenantConnection connection = tenants.enter("acme");
        assertThat(connection.publishes(1, () -> 0)).isZero();
        assertThat(connection.publishes(1, () -> 0)).isZero();
        limit("acme", Map.of(Limit.MESSAGES_PER_SECOND, 1L, Limit.CONNECTIONS, 5L));
        assertThat(connection.publishes(1, () -> 0)).isEqualTo(SECOND);
    }

    /** Each connection is used for one message of 1,000 seconds' worth. */
    @Test
    void rateIsNotPassedByConnectingAnew() {
        limit("acme", Map.of(Limit.BYTES_PER_SECOND, 1_000L));
        assertThat(letThrough(200, 1_000_000, 0)).isEqualTo(1);
        assertThat(letThrough(200, 1_000_000, 998 * SECOND)).isZero();
        assertThat(letThrough(200, 1_000_000, 999 * SECOND)).isEqualTo(1);
    }

    @Test
    void oneMessageStopsATenantForAnHourAtMost() {
        limit("acme", Map.of(Limit.BYTES_PER_SECOND, 1L));
        for (int hour = 0; hour < 20; hour++) {
            assertThat(letThrough(20, 1_000_000_000, hour * 3_600L * SECOND)).isEqualTo(1);
        }
    }

    private int letThrough(int connections, long bytes, long nanos) {
        int through = 0;
        for (int i = 0; i < connections; i++) {
            TenantConnection connection = tenants.enter("acme");
            through += connection.publishes(bytes, () -> nanos) == 0 ? 1 : 0;
            connection.close();
        }
        return through;
    }

    @Test
    void countsAreRightWhenManyThreadsComeAndGo() throws InterruptedException {
        limit("acme", Map.of(Limit.CONNECTIONS, 1_000L));
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            Thread.ofVirtual().start(() -> {
                for (int n = 0; n < 10_000; n++) {
                    tenants.enter("acme").close();
                    tenants.enter("free").close();
                }
                done.countDown();
            });
        }
        assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(tenants.use("acme").connections()).isZero();
        assertThat(tenants.use("free")).isEqualTo(TenantUse.NOTHING);
    }

    /** How many messages two connections publish in so many seconds, each as soon as it is read. */
    private static long publishedIn(int seconds, TenantConnection a, TenantConnection b, long bytes) {
        long origin = System.nanoTime();
        long[] readAt = {0, 0};
        TenantConnection[] connections = {a, b};
        long published = 0;
        while (true) {
            int next = readAt[0] <= readAt[1] ? 0 : 1;
            long now = readAt[next];
            if (now >= seconds * SECOND) {
                return published;
            }
            long waitNanos = connections[next].publishes(bytes, () -> origin + now);
            readAt[next] = now + Math.max(1, waitNanos);
            published += waitNanos == 0 ? 1 : 0;
        }
    }

    private void limit(String name, Map<Limit, Long> limits) {
        tenants.changed(null, new TenantLimits(name, limits));
    }

    private void tell(String node, String name, TenantUse use) {
        TenantReport.encode(List.of(new TenantReport.Line(name, use))).forEach(report -> tenants.told(node, report));
    }
}
