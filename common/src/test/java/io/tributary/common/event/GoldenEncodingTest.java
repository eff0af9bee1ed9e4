package io.tributary.common.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.ClientSettled;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.MovedMessage;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Redistribution;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.ShardEvent.SessionExpired;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.common.event.ShardEvent.SnapshotComplete;
import io.tributary.common.event.ShardEvent.SnapshotEntry;
import io.tributary.common.event.ShardEvent.SnapshotQueue;
import io.tributary.common.event.ShardEvent.SnapshotSession;
import io.tributary.common.event.ShardEvent.TopicPosition;
import io.tributary.common.event.ShardEvent.WillDue;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the encoding to the golden files: one line for each record, its name and its bytes in hexadecimal. A file is
 * never changed once its format is released, for logs and stores are full of it; a new format gets a new file.
 */
class GoldenEncodingTest {
    private static final Message PLAIN = new Message(
            "plant/7/temperature",
            "21.5".getBytes(StandardCharsets.UTF_8),
            QoS.AT_LEAST_ONCE,
            false,
            PublishProperties.NONE,
            Message.NEVER,
            "sensor-7");
    private static final Message FULL = new Message(
            "höhe/😀",
            new byte[] {0, 1, -1},
            QoS.EXACTLY_ONCE,
            true,
            new PublishProperties(
                    PayloadFormat.UTF_8,
                    "text/plain",
                    "answers/7",
                    new byte[] {7, 8},
                    List.of(new UserProperty("a", "1"), new UserProperty("a", "2"))),
            1_800_000_000_000L,
            "");
    private static final Message URGENT = PLAIN.withPriority(3);
    private static final Recipient DEVICE =
            new Recipient("device-1", 300, QoS.AT_LEAST_ONCE, true, List.of(1, 268_435_455), null);
    private static final Recipient APPLICATION =
            new Recipient("erp", 300, QoS.AT_LEAST_ONCE, false, List.of(), null, ClientKind.APPLICATION);
    private static final Recipient MEMBER =
            new Recipient("member", 0, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/plant/#");
    private static final Source SOURCE = new Source(127, 1L << 40, 3);
    private static final Destinations DESTINATIONS = new Destinations(
            List.of(DEVICE),
            List.of(new NodeShare("node-a#1", List.of(MEMBER), false), new NodeShare("node-b#2", List.of(), true)));
    private static final Will WILL = new Will(FULL, 30, -1);

    /** Of whom everything is known; also the owner of sessions that are not the client identifier's own. */
    private static final Principal WHO = new Principal(
            "https://idp.example", "alice", "alice@plant", "plant-7", List.of("operators", "höhe"), "alice.example");

    /** All that this version reads: a new number without files of its own fails. */
    static IntStream formats() {
        return IntStream.rangeClosed(1, RecordFormat.NEWEST);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void bytesStayTheSameWhenEventsAreEncoded(int format) {
        Map<String, byte[]> golden = golden("events-" + format + ".txt");
        Map<String, String> encoded = encode(events(Math.max(2, format)), event -> EventCodec.encode(event, format));
        assertThat(encoded).isEqualTo(hex(golden));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void eventsAreReadWhenOldBytesAreDecoded(int format) {
        Map<String, byte[]> golden = golden("events-" + format + ".txt");
        events(format)
                .forEach((name, event) -> assertThat(EventCodec.decode(bytes(golden, name)))
                        .as(name)
                        .usingRecursiveComparison()
                        .isEqualTo(event));
    }

    @Test
    void limitsOfTenantsAreInTheFlagsOfAnAttachOfFormat3() {
        Attach attach = new Attach(
                "d", "n", 9, true, 0, 20, ClientKind.APPLICATION, null, null, true, new Exhausted(true, true));
        assertThat(HexFormat.of().formatHex(EventCodec.encode(attach, 3))).isEqualTo("03040164016e093b00140000");
        assertThat(EventCodec.decode(EventCodec.encode(attach, 3))).isEqualTo(attach);
        assertThat(HexFormat.of().formatHex(EventCodec.encode(attach, 2))).isEqualTo("02040164016e090b00140000");
        assertThat(HexFormat.of().formatHex(EventCodec.encode(attach, 1))).isEqualTo("01040164016e0903001400");
    }

    @ParameterizedTest
    @MethodSource("formats")
    void bytesStayTheSameWhenStateIsEncoded(int format) {
        Map<String, byte[]> golden = golden("state-" + format + ".txt");
        assertThat(encode(state(format), Function.identity())).isEqualTo(hex(golden));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void stateIsReadWhenOldBytesAreDecoded(int format) {
        Map<String, byte[]> golden = golden("state-" + format + ".txt");
        assertThat(StateCodec.decodeSession(bytes(golden, "head")))
                .usingRecursiveComparison()
                .isEqualTo(session(format));
        assertThat(StateCodec.decodeQueueEntry(bytes(golden, "queued"))).isEqualTo(queued());
        assertThat(StateCodec.decodeQueueEntry(bytes(golden, "released"))).isEqualTo(new QueueEntry.Released());
        assertThat(StateCodec.decodeDelivery(bytes(golden, "delivery"), PLAIN)).isEqualTo(queued());
        assertThat(StateCodec.decodeWill(bytes(golden, "will"))).isEqualTo(new StateCodec.StoredWill(WILL, true));
        assertThat(StateCodec.decodeMessage(bytes(golden, "message")))
                .isEqualTo(new StateCodec.SourcedMessage(PLAIN, SOURCE));
    }

    /** Format 1 has no principal, format 2 none with rules of its own. */
    private static @Nullable Principal in(int format, Principal principal) {
        if (format == 1) {
            return null;
        }
        return format == 2 || !principal.equals(WHO)
                ? principal
                : new Principal(
                        WHO.realm(),
                        WHO.name(),
                        WHO.userName(),
                        WHO.tenant(),
                        WHO.groups(),
                        WHO.commonName(),
                        "allow publish own/#");
    }

    private static Map<String, ShardEvent> events(int format) {
        Map<String, ShardEvent> events = new LinkedHashMap<>();
        events.put("publish", new Publish(PLAIN, List.of(DEVICE), null));
        events.put("publish-handed-on", new Publish(FULL, List.of(DEVICE, MEMBER), SOURCE));
        events.put("relay", new Relay("publisher", 42, 65_535, PLAIN, DESTINATIONS));
        events.put("release", new Release("publisher", 42, 65_535));
        events.put(
                "attach",
                new Attach(
                        "device-1",
                        "node-a",
                        9,
                        true,
                        0xFFFF_FFFFL,
                        65_535,
                        ClientKind.DEVICE,
                        null,
                        in(format, Principal.ANONYMOUS),
                        false));
        events.put(
                "attach-with-will",
                new Attach(
                        "device-1",
                        "node-a",
                        10,
                        false,
                        3600,
                        20,
                        ClientKind.DEVICE,
                        WILL,
                        in(format, Principal.ofUser("device-1")),
                        false));
        events.put("detach", new Detach("device-1", 1000, true, 60, 17));
        events.put("detach-unknown", new Detach("device-1", 1000, false, 0, -1));
        events.put("owner", new Owner("node-a"));
        events.put("settled", new Settled(77, List.of(settled("device-1"), settled("device-2")), List.of()));
        events.put(
                "attach-application",
                new Attach(
                        "erp",
                        "node-a",
                        9,
                        true,
                        60,
                        20,
                        ClientKind.SMALL_APPLICATION,
                        null,
                        in(format, WHO),
                        format > 1));
        if (format > 2) {
            events.put(
                    "attach-of-a-full-tenant",
                    new Attach(
                            "d",
                            "n",
                            9,
                            true,
                            0,
                            20,
                            ClientKind.APPLICATION,
                            null,
                            null,
                            true,
                            new Exhausted(true, true)));
        }
        events.put("settled-application", new Settled(77, List.of(settled("erp")), List.of(position())));
        events.put("head-application", new SnapshotSession(77, 2000, application(format), null));
        events.put("publish-application", new Publish(PLAIN, List.of(APPLICATION), null));
        events.put("session-expired", new SessionExpired(77, "device-1", 1000, 17));
        events.put("will-due", new WillDue("device-1", 1000, FULL, Destinations.NONE));
        events.put(
                "hand-over",
                new Redistribution(77, "member", 5, List.of(new MovedMessage(6, 80, PLAIN, DESTINATIONS))));
        events.put("head", new SnapshotSession(77, 2000, session(format), null));
        events.put("head-with-will", new SnapshotSession(77, 2000, session(format), WILL));
        events.put(
                "head-queue",
                new SnapshotQueue(
                        77,
                        2000,
                        "device-1",
                        List.of(new SnapshotEntry(16, queued()), new SnapshotEntry(17, new QueueEntry.Released()))));
        events.put("heads-complete", new SnapshotComplete(77, 2000, -1, List.of(SOURCE)));
        if (format >= RecordFormat.PRIORITIES) {
            events.put("publish-urgent", new Publish(URGENT, List.of(DEVICE), null));
            events.put("detach-urgent", new Detach("device-1", 1000, true, 60, SentUpTo.of(17, 17, 400)));
            events.put("detach-refused", new Detach("device-1", 1000, false, 60, SentUpTo.NOTHING, WILL));
            events.put("head-urgent", new SnapshotSession(77, 2000, urgent(), null));
        }
        events.put("topic-found", new ShardEvent.TopicFound(77, "erp", 300, "k0pQ", 1L << 33, (1L << 33) + 1));
        return events;
    }

    private static Map<String, byte[]> state(int format) {
        Map<String, byte[]> state = new LinkedHashMap<>();
        state.put("head", StateCodec.encodeSession(session(format), format));
        state.put("queued", StateCodec.encodeQueueEntry(queued(), format));
        state.put("released", StateCodec.encodeQueueEntry(new QueueEntry.Released(), format));
        state.put("delivery", StateCodec.encodeDelivery(queued(), format));
        state.put("will", StateCodec.encodeWill(WILL, true, format));
        state.put("message", StateCodec.encodeMessage(PLAIN, SOURCE, format));
        if (format >= RecordFormat.PRIORITIES) {
            state.put("head-urgent", StateCodec.encodeSession(urgent(), format));
            state.put("message-urgent", StateCodec.encodeMessage(URGENT, null, format));
        }
        return state;
    }

    private static StoredSession session(int format) {
        return new StoredSession(
                "device-1",
                300,
                1000,
                null,
                9,
                3600,
                20,
                1_800_000_000_000L,
                Long.MAX_VALUE,
                17,
                SentUpTo.all(-1),
                2,
                160,
                16,
                0,
                12,
                null,
                new int[] {1, 65_535},
                format >= RecordFormat.PRIORITIES ? 999 : 1000,
                in(format, Principal.ANONYMOUS));
    }

    /** Of which messages were sent ahead of others. */
    private static StoredSession urgent() {
        return new StoredSession(
                "device-1",
                300,
                1000,
                null,
                9,
                3600,
                20,
                1_800_000_000_000L,
                Long.MAX_VALUE,
                500,
                SentUpTo.of(17, 17, 400, 500),
                70,
                5600,
                0,
                480,
                0,
                null,
                new int[0],
                0,
                null);
    }

    private static StoredSession application(int format) {
        TopicState topic = new TopicState(
                ClientKind.APPLICATION,
                "k0pQ",
                1L << 33,
                (1L << 33) + 1,
                1L << 40,
                new long[] {(1L << 40) + 2},
                new long[] {(1L << 40) + 5},
                List.of(SOURCE));
        return new StoredSession(
                "erp",
                300,
                1000,
                "node-a",
                9,
                3600,
                20,
                0,
                Long.MAX_VALUE,
                0,
                SentUpTo.all(-1),
                0,
                0,
                0,
                0,
                0,
                topic,
                new int[0],
                0,
                in(format, WHO));
    }

    private static TopicPosition position() {
        return new TopicPosition("erp", 300, 1000, 1L << 40, (1L << 40) + 7, List.of(SOURCE));
    }

    private static QueueEntry.Queued queued() {
        return new QueueEntry.Queued(PLAIN, QoS.AT_LEAST_ONCE, false, List.of(5), "$share/g/plant/#");
    }

    private static ClientSettled settled(String clientId) {
        return new ClientSettled(clientId, 300, new long[] {15, 16, 14}, 240, new long[] {17});
    }

    private static <T> Map<String, String> encode(Map<String, T> records, Function<? super T, byte[]> encoder) {
        Map<String, byte[]> encoded = new LinkedHashMap<>();
        records.forEach((name, value) -> encoded.put(name, encoder.apply(value)));
        return hex(encoded);
    }

    private static Map<String, String> hex(Map<String, byte[]> records) {
        Map<String, String> hex = new LinkedHashMap<>();
        records.forEach((name, bytes) -> hex.put(name, HexFormat.of().formatHex(bytes)));
        return hex;
    }

    private static byte[] bytes(Map<String, byte[]> golden, String name) {
        return Objects.requireNonNull(golden.get(name), name);
    }

    private static Map<String, byte[]> golden(String file) {
        Map<String, byte[]> golden = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(GoldenEncodingTest.class.getResourceAsStream(file), file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                golden.put(line.substring(0, space), HexFormat.of().parseHex(line.substring(space + 1)));
            }
        } catch (IOException e) {
            throw new IllegalStateException(file, e);
        }
        return golden;
    }
}
