package io.tributary.broker.connection;

import static io.tributary.broker.connection.ConnectionFixture.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.security.Authenticator;
import io.tributary.broker.security.Authenticator.Accepted;
import io.tributary.broker.security.store.TenantLimits;
import io.tributary.broker.security.store.TenantLimits.Limit;
import io.tributary.broker.tenant.TenantConnection;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.QoS;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client whose tenant's rate is used up, on an event loop whose time the test makes. */
class TenantPaceTest {
    private static final long NOTHING_SCHEDULED = -1;

    private final ConnectionFixture fixture = new ConnectionFixture();

    @BeforeEach
    void connect() {
        Principal principal = new Principal("r", "u", null, "acme", List.of(), null);
        fixture.authenticator = (_, _) -> Authenticator.answer(new Accepted(null, principal, null, Map.of()));
        fixture.connect(Connects.v5());
    }

    @Test
    void messageWaitsUntilTheDebtIsPaidBack() {
        limit(Map.of(Limit.MESSAGES_PER_SECOND, 2L));
        for (int i = 0; i < 3; i++) {
            fixture.send(publish(QoS.AT_MOST_ONCE, 0));
            assertThat(fixture.connection().mayRead()).isTrue();
        }
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.connection().holdsPacket()).isTrue();
        fixture.pass(Duration.ofMillis(499));
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.backend.published()).isEqualTo(3);
        fixture.pass(Duration.ofMillis(2));
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.connection().holdsPacket()).isFalse();
        assertThat(fixture.backend.published()).isEqualTo(4);
    }

    @Test
    void firstMessageWaitsWhenTheTenantHasADebt() {
        limit(Map.of(Limit.BYTES_PER_SECOND, 10_000L));
        TenantConnection other = fixture.tenants.enter("acme");
        assertThat(other.publishes(
                        20_000, () -> fixture.loop.eventLoop().ticker().nanoTime()))
                .isZero();
        other.close();
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        assertThat(fixture.backend.published()).isZero();
        fixture.pass(Duration.ofMillis(1_010));
        assertThat(fixture.backend.published()).isEqualTo(1);
    }

    @Test
    void waitsUntilTheRateIsAnotherOne() {
        limit(Map.of(Limit.BYTES_PER_SECOND, 0L));
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.pass(Duration.ofHours(1));
        assertThat(fixture.connection().mayRead()).isFalse();
        assertThat(fixture.backend.published()).isZero();
        limit(Map.of());
        fixture.pass(Duration.ofMillis(1_010));
        assertThat(fixture.connection().mayRead()).isTrue();
        assertThat(fixture.backend.published()).isEqualTo(1);
    }

    /** Another node may have acknowledged a subscription meanwhile. */
    @Test
    void messageThatWaitedIsHeldWhenTheNodeHasFallenBehind() {
        limit(Map.of(Limit.MESSAGES_PER_SECOND, 0L));
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.backend.behind = true;
        limit(Map.of());
        fixture.pass(Duration.ofMillis(1_010));
        assertThat(fixture.backend.published()).isZero();
        assertThat(fixture.connection().mayRead()).isFalse();

        limit(Map.of(Limit.MESSAGES_PER_SECOND, 0L));
        fixture.backend.catchUp();
        fixture.pass(Duration.ofMillis(1));
        assertThat(fixture.backend.published()).isEqualTo(1);
        assertThat(fixture.connection().mayRead()).isTrue();
    }

    @Test
    void waitsNoLongerThanTheConnectionLasts() {
        limit(Map.of(Limit.MESSAGES_PER_SECOND, 0L));
        fixture.send(publish(QoS.AT_MOST_ONCE, 0));
        fixture.connection().connectionLost();
        assertThat(fixture.loop.runScheduledPendingTasks()).isEqualTo(NOTHING_SCHEDULED);
        assertThat(fixture.tenants.use("acme").connections()).isZero();
        assertThat(fixture.backend.published()).isZero();
    }

    private void limit(Map<Limit, Long> limits) {
        fixture.tenants.changed(null, new TenantLimits("acme", limits));
    }
}
