package io.tributary.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.cluster.node.NodeMessage.AllAttached;
import io.tributary.cluster.node.NodeMessage.AllSettled;
import io.tributary.cluster.node.NodeMessage.AskForAllSettled;
import io.tributary.cluster.node.NodeMessage.AttachRefused;
import io.tributary.cluster.node.NodeMessage.AttachedLater;
import io.tributary.cluster.node.NodeMessage.AttachedTo;
import io.tributary.cluster.node.NodeMessage.Deliver;
import io.tributary.cluster.node.NodeMessage.HoldPublisher;
import io.tributary.cluster.node.NodeMessage.MapProgress;
import io.tributary.cluster.node.NodeMessage.OwnerAnswer;
import io.tributary.cluster.node.NodeMessage.OwnerQuestion;
import io.tributary.cluster.node.NodeMessage.OwnerSpeaks;
import io.tributary.cluster.node.NodeMessage.PublishersWait;
import io.tributary.cluster.node.NodeMessage.QosZero;
import io.tributary.cluster.node.NodeMessage.Receipt;
import io.tributary.cluster.node.NodeMessage.Received;
import io.tributary.cluster.node.NodeMessage.ReceivedLogged;
import io.tributary.cluster.node.NodeMessage.Relayed;
import io.tributary.cluster.node.NodeMessage.Resume;
import io.tributary.cluster.node.NodeMessage.RoomAgain;
import io.tributary.cluster.node.NodeMessage.Settle;
import io.tributary.cluster.node.NodeMessage.Shared;
import io.tributary.cluster.node.NodeMessage.SharedAnswer;
import io.tributary.cluster.node.NodeMessage.SharedOutcome;
import io.tributary.cluster.node.NodeMessage.Stats;
import io.tributary.cluster.node.NodeMessage.StoreMisses;
import io.tributary.cluster.node.NodeMessage.TakenOver;
import io.tributary.cluster.node.NodeMessage.TenantsReport;
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.cluster.node.NodeMessage.Unheard;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.QueueEntry.Released;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the encoding to the golden files: one line a message, its name and its frame in hexadecimal. A file is never
 * changed once its format is released, for nodes of two versions talk to each other; a new format gets a new file.
 */
class GoldenFramesTest {
    private static final Message MESSAGE = new Message(
            "plant/7",
            "21.5".getBytes(StandardCharsets.UTF_8),
            QoS.AT_LEAST_ONCE,
            false,
            PublishProperties.NONE,
            Message.NEVER,
            "sensor-7");
    private static final Queued QUEUED = new Queued(MESSAGE, QoS.AT_LEAST_ONCE, true, List.of(5), "$share/g/plant/#");
    private static final Recipient MEMBER =
            new Recipient("member", 9, QoS.EXACTLY_ONCE, false, List.of(), "$share/g/plant/#");

    /** All that this version reads: a new number without a file of its own fails. */
    static IntStream formats() {
        return IntStream.rangeClosed(1, RecordFormat.NEWEST);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void bytesStayTheSameWhenMessagesAreEncoded(int format) throws IOException {
        RecordFormat written = new RecordFormat(format);
        written.raise(format);
        String encoded = messages(format).entrySet().stream()
                .map(entry -> entry.getKey() + " "
                        + HexFormat.of().formatHex(FrameBuilder.frameOf(entry.getValue(), written)) + "\n")
                .collect(Collectors.joining());
        assertThat(encoded).isEqualTo(golden(format));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void messagesAreReadWhenOldBytesAreDecoded(int format) throws IOException {
        Map<String, NodeMessage> messages = messages(format);
        golden(format).lines().forEach(line -> {
            int space = line.indexOf(' ');
            NodeMessage expected = Objects.requireNonNull(messages.get(line.substring(0, space)), line);
            byte[] frame = HexFormat.of().parseHex(line.substring(space + 1));
            assertThat(NodeMessageCodec.decode(frame))
                    .usingRecursiveComparison()
                    .isEqualTo(List.of(expected));
        });
    }

    private static Map<String, NodeMessage> messages(int format) {
        List<Delivery> deliveries = List.of(new Delivery(300, QUEUED, true), new Delivery(301, new Released(), false));
        Map<String, NodeMessage> messages = new LinkedHashMap<>();
        long folded = format >= RecordFormat.FOLDED_UP_TO ? 1L << 33 : Attached.UNKNOWN;
        Attached attached = new Attached(300, 1000, true, ClientKind.DEVICE, new int[] {1, 65_535}, folded);
        messages.put("attached-to", new AttachedTo(127, 77, 9, attached));
        messages.put("taken-over", new TakenOver(127, 77, 9));
        messages.put("deliver", new Deliver(127, 1L << 40, 9, deliveries));
        messages.put("received-logged", new ReceivedLogged(127, 77, 9, new long[] {15, 16, 14}));
        messages.put("relayed", new Relayed(127, 77, 1000, 65_535));
        messages.put("settle", new Settle(127, "device-1", 1000, new long[] {15, 16, 14}));
        messages.put("received", new Received(127, "device-1", 1000, new long[] {17}));
        messages.put("resume", new Resume(127));
        messages.put("qos-zero", new QosZero(127, "device-1", 300, QUEUED));
        messages.put("transient", new Transient(1L << 33, MESSAGE, List.of(MEMBER), true));
        messages.put("taken", new Receipt(new long[] {5, 6, 7}));
        messages.put("map-progress", new MapProgress("subscriptions", 123_456));
        messages.put("owner-speaks", new OwnerSpeaks(127, 77));
        messages.put("all-attached", new AllAttached(127, 77, 1234));
        messages.put("attach-refused", new AttachRefused(127, 77, 9, AttachRefusal.IS_SMALL_APPLICATION));
        if (format > 1) {
            messages.put(
                    "attach-refused-somebody-elses", new AttachRefused(127, 77, 9, AttachRefusal.IS_SOMEBODY_ELSES));
        }
        messages.put("shared", new Shared(1L << 33, "app-1", 300, true, QUEUED));
        messages.put("shared-answer", new SharedAnswer(1L << 33, SharedOutcome.RETURNED_MAYBE_SENT));
        messages.put("figures", new Stats(new byte[] {1, 2, 3}));
        messages.put("ask-for-all-settled", new AskForAllSettled(127, 77, "device-1", 1000));
        messages.put("all-settled", new AllSettled(127, "device-1", 1000));
        messages.put("unheard", new Unheard(4_000));
        messages.put("store-misses", new StoreMisses(127));
        if (format > 2) {
            messages.put("owner-question", new OwnerQuestion(1L << 33, new byte[] {1, 2, 3}));
            messages.put("owner-answer", new OwnerAnswer(1L << 33, new byte[] {4}));
            messages.put(
                    "attach-refused-tenant-connections",
                    new AttachRefused(127, 77, 9, AttachRefusal.TENANT_CONNECTIONS));
            messages.put(
                    "attach-refused-tenant-sessions", new AttachRefused(127, 77, 9, AttachRefusal.TENANT_SESSIONS));
            messages.put("tenants-report", new TenantsReport(new byte[] {1, 2, 3}));
        }
        if (format >= RecordFormat.PUBLISHER_HOLDS) {
            messages.put("hold-publisher", new HoldPublisher(1L << 33, 300));
            messages.put("room-again", new RoomAgain(300));
            messages.put("publishers-wait", new PublishersWait());
            messages.put("attached-later", new AttachedLater(127, 77, 9));
        }
        if (format >= RecordFormat.PRIORITIES) {
            Queued urgent = new Queued(MESSAGE.withPriority(3), QoS.AT_LEAST_ONCE, false, List.of(), null);
            messages.put(
                    "deliver-of-a-priority", new Deliver(127, 1L << 40, 9, List.of(new Delivery(302, urgent, true))));
        }
        return messages;
    }

    private static String golden(int format) throws IOException {
        String file = "frames-" + format + ".txt";
        try (InputStream in = Objects.requireNonNull(GoldenFramesTest.class.getResourceAsStream(file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
