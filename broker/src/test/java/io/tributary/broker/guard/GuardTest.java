package io.tributary.broker.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tributary.broker.guard.AutomaticBan.Cause;
import io.tributary.broker.guard.AutomaticBan.Kind;
import io.tributary.broker.security.rules.AddressRange;
import io.tributary.common.event.Principal;
import io.tributary.common.mqtt.ReasonCode;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GuardTest {
    private static final InetAddress ONE = InetAddress.ofLiteral("203.0.113.1");
    private static final InetAddress OTHER = InetAddress.ofLiteral("203.0.113.2");
    private static final Instant BEGIN = Instant.ofEpochSecond(1_000_000);
    private static final BanLimit TWICE = new BanLimit(2, Duration.ofSeconds(10), Duration.ofSeconds(60));
    private static final BanLimit THRICE = new BanLimit(3, Duration.ofSeconds(10), Duration.ofSeconds(30));

    private final List<String> banned = new ArrayList<>();
    private long nanos;

    @Test
    void addressIsRefusedWhenItConnectsTooOften() {
        Guard guard = guard(BanLimits.NONE, BanLimits.NONE);
        assertThat(guard.arrives(ONE)).isNull();
        assertThat(guard.arrives(ONE)).isNull();
        assertThat(guard.arrives(ONE)).isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
        assertThat(guard.arrives(OTHER)).isNull();
        pass(1_000);
        assertThat(guard.arrives(ONE)).isNull();
        assertThat(guard.arrives(ONE)).isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
    }

    @Test
    void addressesOfOneNetworkCountAsOneWhenTheyAreOfIpv6() {
        Guard guard = guard(BanLimits.NONE, BanLimits.NONE);
        assertThat(guard.arrives(InetAddress.ofLiteral("2001:db8:1:2::1"))).isNull();
        assertThat(guard.arrives(InetAddress.ofLiteral("2001:db8:1:2:ffff::1"))).isNull();
        assertThat(guard.arrives(InetAddress.ofLiteral("2001:db8:1:2::3")))
                .isEqualTo(ReasonCode.CONNECTION_RATE_EXCEEDED);
        assertThat(guard.arrives(InetAddress.ofLiteral("2001:db8:1:3::1"))).isNull();
        assertThat(Guard.text(InetAddress.ofLiteral("2001:db8:1:2::3"))).isEqualTo("2001:db8:1:2:0:0:0:0/64");
    }

    @Test
    void exemptAddressConnectsAsOftenAsItLikesAndIsNeverBanned() {
        Guard guard = guard(new BanLimits(TWICE, TWICE, TWICE), BanLimits.NONE);
        for (String exempt : List.of("127.0.0.1", "10.1.2.3")) {
            InetAddress from = InetAddress.ofLiteral(exempt);
            for (int i = 0; i < 10; i++) {
                assertThat(guard.arrives(from)).isNull();
                assertThat(guard.mayConnect(from, Principal.ANONYMOUS, "c")).isTrue();
                fail(guard, from, "c", "u");
            }
            assertThat(guard.isBanned(from, "c", "u")).isFalse();
        }
        assertThat(guard.bans()).isEmpty();
        assertThat(guard.arrives(null)).isNull();
    }

    @Test
    void onePrincipalDoesNotUseUpTheRateOfAnother() {
        Guard guard = guard(BanLimits.NONE, BanLimits.NONE);
        Principal mallory = new Principal("people", "mallory", null, null, List.of(), null);
        Principal alice = new Principal("people", "alice", null, null, List.of(), null);
        assertThat(guard.mayConnect(ONE, mallory, "c")).isTrue();
        assertThat(guard.mayConnect(ONE, mallory, "c")).isFalse();
        assertThat(guard.mayConnect(ONE, alice, "c")).isTrue();
        assertThat(guard.mayConnect(ONE, mallory, "d")).isTrue();
    }

    @Test
    void failuresBanEachKindByItsOwnNumbersAndTheBanEnds() {
        Guard guard = guard(new BanLimits(BanLimit.NONE, TWICE, THRICE), BanLimits.NONE);
        fail(guard, ONE, "c", "u");
        fail(guard, OTHER, "d", "u");
        assertThat(banned).containsExactly("USER FAILURES");
        assertThat(guard.isBanned(OTHER, "x", "u")).isTrue();
        assertThat(guard.isBanned(OTHER, "c", "v")).isFalse();
        assertThat(guard.bans())
                .containsExactly(new AutomaticBan(Kind.USER, "u", Cause.FAILURES, BEGIN.plusSeconds(60)));
        fail(guard, ONE, "c", null);
        fail(guard, ONE, "c", null);
        assertThat(guard.arrives(ONE)).isEqualTo(ReasonCode.BANNED);
        pass(30_000);
        assertThat(guard.arrives(ONE)).isNull();
        assertThat(guard.isBanned(OTHER, "x", "u")).isTrue();
        pass(30_000);
        assertThat(guard.isBanned(OTHER, "x", "u")).isFalse();
        assertThat(guard.bans()).isEmpty();
    }

    @Test
    void failuresFarApartBanNobody() {
        Guard guard = guard(new BanLimits(BanLimit.NONE, BanLimit.NONE, TWICE), BanLimits.NONE);
        for (int i = 0; i < 5; i++) {
            fail(guard, ONE, "c", null);
            pass(10_001);
        }
        assertThat(guard.bans()).isEmpty();
    }

    /** One that another node has made. */
    @Test
    void adoptedBanHoldsUntilItIsOverAndNotForExemptAddresses() {
        Guard guard = guard(BanLimits.NONE, BanLimits.NONE);
        guard.adopt(new AutomaticBan(Kind.USER, "u", Cause.FAILURES, BEGIN.plusSeconds(30)));
        guard.adopt(new AutomaticBan(
                Kind.USER, "u", Cause.FAILURES, BEGIN.plusSeconds(10))); // a shorter one changes nothing
        guard.adopt(new AutomaticBan(Kind.USER, "over", Cause.FAILURES, BEGIN));
        assertThat(guard.isBanned(ONE, "c", "u")).isTrue();
        assertThat(guard.isBanned(ONE, "c", "over")).isFalse();
        assertThat(guard.isBanned(InetAddress.ofLiteral("127.0.0.1"), "c", "u")).isFalse();
        assertThat(banned).isEmpty();
        pass(29_999);
        assertThat(guard.isBanned(ONE, "c", "u")).isTrue();
        pass(1);
        assertThat(guard.isBanned(ONE, "c", "u")).isFalse();
    }

    @Test
    void flappingBansClientIdentifierUntilItIsLifted() {
        Guard guard = guard(BanLimits.NONE, new BanLimits(THRICE, BanLimit.NONE, BanLimit.NONE));
        for (int i = 0; i < 3; i++) {
            assertThat(guard.isBanned(ONE, "c", null)).isFalse();
            guard.connected(ONE, "c", "u");
        }
        assertThat(guard.isBanned(OTHER, "c", null)).isTrue();
        assertThat(banned).containsExactly("CLIENT_ID FLAPPING");
        assertThat(guard.lift(Kind.CLIENT_ID, "c")).isTrue();
        assertThat(guard.lift(Kind.CLIENT_ID, "c")).isFalse();
        assertThat(guard.isBanned(OTHER, "c", null)).isFalse();
    }

    @Test
    void tablesForgetTheOldestWhenTheyAreFull() {
        RateTable<Integer> rates = new RateTable<>(new ConnectRate(1, 1), 3);
        AutoBans bans = new AutoBans(3, () -> nanos, () -> BEGIN);
        BanLimit once = new BanLimit(1, Duration.ofSeconds(1), Duration.ofSeconds(1));
        for (int i = 0; i < 100; i++) {
            assertThat(rates.tryTake(i, nanos)).isTrue();
            assertThat(bans.count(Kind.USER, Cause.FAILURES, "u" + i, once)).isNotNull();
            bans.count(Kind.USER, Cause.FLAPPING, "u" + i, TWICE);
        }
        assertThat(rates.size()).isEqualTo(3);
        assertThat(rates.tryTake(99, nanos)).isFalse();
        assertThat(bans.all()).extracting(AutomaticBan::who).containsExactlyInAnyOrder("u97", "u98", "u99");
        assertThat(bans.size()).isEqualTo(3);
    }

    @Test
    void tablesKeepNoLongNames() {
        Guard guard = guard(new BanLimits(THRICE, THRICE, THRICE), new BanLimits(THRICE, THRICE, THRICE));
        for (WeakReference<String> name : List.of(
                used(name -> guard.mayConnect(ONE, Principal.ANONYMOUS, name)),
                used(name -> guard.connected(ONE, name, name)),
                used(name -> fail(guard, ONE, name, name)))) {
            await().until(() -> {
                System.gc();
                return name.get() == null;
            });
        }
        assertThat(NameHash.of("a", "bc")).isEqualTo(NameHash.of("a", "bc")).isNotEqualTo(NameHash.of("ab", "c"));
    }

    private static WeakReference<String> used(Consumer<String> use) {
        String name = "x".repeat(Principal.MAX_BYTES);
        use.accept(name);
        return new WeakReference<>(name);
    }

    @Test
    void refusedClientsCanBePagedThroughAndTheOldestGo() {
        RefusedClients refused = new RefusedClients(() -> BEGIN, 5);
        for (int i = 0; i < 12; i++) {
            refused.add("tcp", "203.0.113.1:1", "c" + i, null, "not_authorized", "words");
        }
        List<RefusedClient> first = refused.newest(Long.MAX_VALUE, 3);
        assertThat(first).extracting(RefusedClient::clientId).containsExactly("c11", "c10", "c9");
        assertThat(refused.newest(first.getLast().number(), 3))
                .extracting(RefusedClient::clientId)
                .containsExactly("c8", "c7");
        assertThat(refused.newest(first.getLast().number() - 2, 3)).isEmpty();
        assertThat(refused.newest(-5, 3)).isEmpty();
    }

    @Test
    void whatClientsSayIsCutAndHasNoControlCharacters() {
        RefusedClients refused = new RefusedClients(() -> BEGIN, 5);
        refused.add("tcp", "a", "c\n\u202e" + "x".repeat(200), "u\u0000\u0085", "not_authorized", "w\r\n\u009b\u2028");
        RefusedClient one = refused.newest(Long.MAX_VALUE, 1).getFirst();
        assertThat(one.clientId()).isEqualTo("c??" + "x".repeat(77) + "...");
        assertThat(one.userName()).isEqualTo("u??");
        assertThat(one.words()).isEqualTo("w????");
    }

    private Guard guard(BanLimits failures, BanLimits flapping) {
        GuardConfig config = new GuardConfig(
                1L << 20,
                16 * 1024,
                new ConnectRate(1, 2),
                new ConnectRate(1, 1),
                failures,
                flapping,
                List.of(AddressRange.parse("127.0.0.0/8"), AddressRange.parse("10.0.0.0/8")));
        return new Guard(
                config, (kind, cause) -> banned.add(kind + " " + cause), () -> nanos, () -> BEGIN.plusNanos(nanos));
    }

    private static void fail(Guard guard, InetAddress from, String clientId, @Nullable String user) {
        guard.failed(from, clientId, user);
    }

    private void pass(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
