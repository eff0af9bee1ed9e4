package io.tributary.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.subscription.RouteRecord.Member;
import io.tributary.broker.subscription.RouteRecord.Presence;
import io.tributary.broker.subscription.RouteRecord.Route;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.topic.TopicFilter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RouteCodecTest {
    private static final Member MEMBER = new Member(
            "node a#7",
            "ü",
            -3,
            new SubscriptionRequest(TopicFilter.parse("$share/g/#"), QoS.EXACTLY_ONCE, true, true, 268_435_455));

    @Test
    void readsBackWhatItWrote() {
        List<RouteRecord> records = List.of(
                new Route("a#1", "plant/+/#"),
                new Route("a#1", "r m p # 1\u0001/"),
                new Route("a#1", "/"),
                new Route("a#1", "\0acme/plant/#"),
                new Member(
                        "a#1",
                        "\0\0acme/c",
                        9,
                        new SubscriptionRequest(
                                TopicFilter.parseStored("$share/g/\0acme/a"), QoS.AT_MOST_ONCE, false, false, 0)),
                new Presence("a#1", "\0\0acme/c", 4, false),
                MEMBER,
                new Member(
                        "a#1",
                        "c",
                        9,
                        new SubscriptionRequest(TopicFilter.parse("$share/g/a"), QoS.AT_MOST_ONCE, false, false, 0)),
                new Presence("a#1", "client/+ #", 1L << 40, true),
                new Presence("a#1", "m", 0, false));

        for (RouteRecord record : records) {
            String key = RouteCodec.key(record);
            assertThat(RouteCodec.decode(key, RouteCodec.value(record, RecordFormat.NEWEST)))
                    .isEqualTo(record);
            assertThat(RouteCodec.nodeOf(key)).isEqualTo(record.node());
        }
        assertThat(records.stream().map(RouteCodec::key)).doesNotHaveDuplicates();
    }

    /** What all formats so far look like: other nodes must read them. */
    @Test
    void writesTheGoldenRecords() {
        assertThat(RouteCodec.key(new Route("a#1", "t/+"))).isEqualTo("a#1\0r\0t/+");
        assertThat(RouteCodec.key(MEMBER)).isEqualTo("node a#7\0m\0-3\0$share/g/#");
        assertThat(RouteCodec.key(new Presence("a#1", "c", 5, true))).isEqualTo("a#1\0p\0" + "5\0c");
        for (int format = 1; format <= RecordFormat.NEWEST; format++) {
            Presence presence = new Presence("a#1", "c", 5, true);
            assertThat(RouteCodec.value(new Route("a#1", "t/+"), format)).containsExactly(format);
            assertThat(RouteCodec.value(presence, format)).containsExactly(format, 1);
            assertThat(RouteCodec.decode(RouteCodec.key(presence), new byte[] {(byte) format, 1}))
                    .isEqualTo(presence);
            writesTheGoldenMember(format);
        }
    }

    private static void writesTheGoldenMember(int format) {
        String golden = "0" + format + "02c3bc" + "0e" + "ffffff7f";
        assertThat(HexFormat.of().formatHex(RouteCodec.value(MEMBER, format))).isEqualTo(golden);
        assertThat(RouteCodec.decode(RouteCodec.key(MEMBER), HexFormat.of().parseHex(golden)))
                .isEqualTo(MEMBER);
    }

    @Test
    void failsInOneWayOnlyWhenARecordIsDamaged() {
        Random random = new Random(3);
        byte[] value = RouteCodec.value(MEMBER, RecordFormat.NEWEST);
        String key = RouteCodec.key(MEMBER);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = Arrays.copyOf(value, random.nextInt(value.length + 2));
            if (damaged.length > 0) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            char[] damagedKey = key.toCharArray();
            damagedKey[random.nextInt(damagedKey.length)] = (char) random.nextInt(128);
            decodeOrRefuse(key, damaged);
            decodeOrRefuse(new String(damagedKey), value);
        }
    }

    @Test
    void refusesKeysOfNoKind() {
        for (String key : List.of("", "a#1", "a#1\0r", "a#1\0x\0t", "a#1\0m\0t", "a#1\0p\0x\0c", "a#1\0m\0001\0a")) {
            assertThatThrownBy(() -> RouteCodec.decode(key, new byte[] {1}))
                    .as(key)
                    .isInstanceOf(UnreadableRecordException.class);
        }
    }

    private static void decodeOrRefuse(String key, byte[] value) {
        try {
            RouteCodec.decode(key, value);
        } catch (UnreadableRecordException expected) {
            assertThat(expected).hasMessageNotContaining("\0");
        }
    }
}
