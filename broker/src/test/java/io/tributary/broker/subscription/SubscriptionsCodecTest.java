package io.tributary.broker.subscription;

import static io.tributary.broker.subscription.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.fake.Allocated;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Principal;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.TenantNames;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class SubscriptionsCodecTest {
    private static final SubscriptionLimits LIMITS = new SubscriptionLimits(10, 10, 1 << 20, 65_535, 1 << 30, 0);

    private static final SessionSubscriptions SAMPLE = new SessionSubscriptions(
                    0x1234, 0x5678, 9, ClientKind.DEVICE, new Principal("r", "n"), Map.of())
            .subscribe(
                    List.of(
                            new SubscriptionRequest(TopicFilter.parse("a/+"), QoS.AT_LEAST_ONCE, true, true, 300),
                            new SubscriptionRequest(
                                    TopicFilter.parse("$share/g/ü/#"), QoS.EXACTLY_ONCE, false, false, 0)),
                    LIMITS,
                    Long.MAX_VALUE,
                    _ -> true)
            .after();

    private static final String UNCHANGED = "0000000000001234" // identity
            + "0000000000005678" // epoch
            + "00000009" // revision
            + "00000002" // count
            + "02" + "000d" + "2473686172652f672fc3bc2f23" // $share/g/ü/#
            + "1d" + "0000012c" + "0003" + "612f2b"; // a/+

    private static final String PRINCIPAL = "07" + "0172" + "016e"; // realm r, name n

    /** What the formats look like for ever: stored records must stay readable. */
    private static final List<String> GOLDEN = List.of(
            "01" + UNCHANGED, "02" + UNCHANGED + PRINCIPAL, "03" + UNCHANGED + PRINCIPAL, "04" + UNCHANGED + PRINCIPAL);

    /** All that this version reads: a new number without bytes of its own fails. */
    static IntStream formats() {
        return IntStream.rangeClosed(1, RecordFormat.NEWEST);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void writesTheGoldenRecord(int format) {
        assertThat(HexFormat.of().formatHex(SubscriptionsCodec.encode("c", SAMPLE, format)))
                .isEqualTo(GOLDEN.get(format - 1));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void readsTheGoldenRecord(int format) {
        assertThat(SubscriptionsCodec.decode("c", HexFormat.of().parseHex(GOLDEN.get(format - 1))))
                .isEqualTo(format == 1 ? SAMPLE.of(ClientKind.DEVICE, null) : SAMPLE);
    }

    @ParameterizedTest
    @EnumSource(QoS.class)
    void readsBackWhatItWrote(QoS qos) {
        for (int i = 0; i < 8; i++) {
            SubscriptionRequest request = new SubscriptionRequest(
                    TopicFilter.parse("t"), qos, (i & 1) != 0, (i & 2) != 0, (i & 4) == 0 ? 0 : 268_435_455);
            SessionSubscriptions subscriptions = SessionSubscriptions.none(Long.MAX_VALUE)
                    .subscribe(List.of(request), LIMITS, Long.MAX_VALUE, _ -> true)
                    .after();

            assertThat(SubscriptionsCodec.decode(
                            "c", SubscriptionsCodec.encode("c", subscriptions, RecordFormat.NEWEST)))
                    .isEqualTo(subscriptions);
        }
    }

    @Test
    void hasRoomForTheLongestFilterOfATenant() {
        TopicFilter longest = TenantNames.filter("t".repeat(64), TopicFilter.parse("$share/g/" + "x".repeat(65_526)));
        SubscriptionRequest request = new SubscriptionRequest(longest, QoS.AT_LEAST_ONCE, false, false, 7);
        SessionSubscriptions subscriptions = SessionSubscriptions.none(1)
                .subscribe(List.of(request, request("a")), LIMITS, Long.MAX_VALUE, _ -> true)
                .after();

        assertThat(subscriptions.byFilter()).hasSize(2);
        assertThat(SubscriptionsCodec.decode("c", SubscriptionsCodec.encode("c", subscriptions, RecordFormat.NEWEST)))
                .isEqualTo(subscriptions);
    }

    @Test
    void hasRoomForTheLongestFilter() {
        SessionSubscriptions subscriptions = SessionSubscriptions.none(1)
                .subscribe(
                        List.of(request("x".repeat(65_535)), request("€".repeat(21_845))),
                        LIMITS,
                        Long.MAX_VALUE,
                        _ -> true)
                .after();

        assertThat(SubscriptionsCodec.decode("c", SubscriptionsCodec.encode("c", subscriptions, RecordFormat.NEWEST)))
                .isEqualTo(subscriptions);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void refusesEveryCutOffRecordAndWhatIsBehindTheEnd(int format) {
        byte[] whole = SubscriptionsCodec.encode("c", SAMPLE, format);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> SubscriptionsCodec.decode("c", cut)).isInstanceOf(UnreadableRecordException.class);
        }
        byte[] longer = Arrays.copyOf(whole, whole.length + 1);
        assertThatThrownBy(() -> SubscriptionsCodec.decode("c", longer)).hasMessageContaining("the record ends after");
    }

    /** A node reads a million of them when it starts. */
    @Test
    void allocatesLittleMoreThanWhatItReturns() {
        byte[] record = SubscriptionsCodec.encode("c", SAMPLE, RecordFormat.NEWEST);
        SubscriptionsCodec.decode("c", record); // classes are there

        long allocated = Allocated.bytesBy(() -> {
            for (int i = 0; i < 100; i++) {
                SubscriptionsCodec.decode("c", record);
            }
        });

        assertThat(allocated / 100).isLessThan(4_000);
    }

    @Test
    void refusesANewerFormat() {
        byte[] newer = SubscriptionsCodec.encode("c", SAMPLE, RecordFormat.NEWEST);
        newer[0] = RecordFormat.NEWEST + 1;

        assertThatThrownBy(() -> SubscriptionsCodec.decode("c", newer))
                .isInstanceOf(UnreadableRecordException.class)
                .hasMessageContaining("format " + (RecordFormat.NEWEST + 1));
    }

    @Test
    void failsInOneWayOnlyWhenBytesAreDamaged() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = SubscriptionsCodec.encode("c", SAMPLE, RecordFormat.NEWEST);
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                SubscriptionsCodec.decode("c", damaged);
            } catch (UnreadableRecordException expected) {
                assertThat(expected).hasMessageFindingMatch("subscriptions: |the record has format");
            }
        }
    }
}
