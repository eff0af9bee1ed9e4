package io.tributary.cluster.node;

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
import io.tributary.cluster.node.NodeMessage.Transient;
import io.tributary.cluster.node.NodeMessage.Unheard;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.Recipient;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PayloadFormat;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Messages between nodes with everything at random, the same for the same seed. */
final class SampleMessages {
    private final Random random;

    SampleMessages(long seed) {
        random = new Random(seed);
    }

    /** One message of each type. */
    List<NodeMessage> oneOfEach() {
        return List.of(
                new AttachedTo(shard(), number(), number(), attached()),
                new AttachRefused(shard(), number(), number(), AttachRefusal.of(random.nextInt(6))),
                new TakenOver(shard(), number(), number()),
                new Deliver(shard(), number(), number(), deliveries(random.nextInt(4))),
                new ReceivedLogged(shard(), number(), number(), numbers()),
                new Relayed(shard(), number(), number(), random.nextInt(1, 65_536)),
                new AskForAllSettled(shard(), number(), text(), number()),
                new AllSettled(shard(), text(), number()),
                new OwnerSpeaks(shard(), number()),
                new AttachedLater(shard(), number(), number()),
                new AllAttached(shard(), number(), number()),
                new Settle(shard(), text(), number(), numbers()),
                new Received(shard(), text(), number(), numbers()),
                new Resume(shard()),
                new QosZero(shard(), text(), number(), queued()),
                new Transient(number(), message(), members(random.nextInt(4)), random.nextBoolean()),
                new Receipt(numbers()),
                new HoldPublisher(number(), number()),
                new RoomAgain(number()),
                new PublishersWait(),
                new Shared(number(), text(), number(), random.nextBoolean(), queued()),
                new SharedAnswer(
                        number(), random.nextBoolean() ? SharedOutcome.DONE : SharedOutcome.RETURNED_MAYBE_SENT),
                new MapProgress(text(), number()),
                new Unheard(number()),
                new StoreMisses(shard()),
                new Stats(bytes()));
    }

    List<Delivery> deliveries(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Delivery(
                        number(), random.nextInt(3) == 0 ? new QueueEntry.Released() : queued(), random.nextBoolean()))
                .toList();
    }

    List<Recipient> members(int count) {
        return IntStream.range(0, count)
                .mapToObj(i ->
                        new Recipient(text(), number(), qos(), random.nextBoolean(), List.of(1, 268_435_455), group()))
                .toList();
    }

    Message message() {
        PublishProperties properties = random.nextBoolean()
                ? PublishProperties.NONE
                : new PublishProperties(
                        PayloadFormat.UTF_8, text(), null, new byte[] {1}, List.of(new UserProperty(text(), "v")));
        byte[] payload = new byte[random.nextInt(60)];
        random.nextBytes(payload);
        return new Message(
                text(),
                payload,
                qos(),
                random.nextBoolean(),
                properties,
                random.nextBoolean() ? Message.NEVER : number(),
                text());
    }

    private QueueEntry.Queued queued() {
        return new QueueEntry.Queued(message(), qos(), random.nextBoolean(), List.of(), group());
    }

    private Attached attached() {
        int[] packetIds = random.ints(random.nextInt(4), 1, 65_536).sorted().toArray();
        return new Attached(
                number(), number(), random.nextBoolean(), ClientKind.of(random.nextInt(3)), packetIds, number());
    }

    private @Nullable String group() {
        return random.nextBoolean() ? null : "$share/g/" + text();
    }

    private QoS qos() {
        return QoS.of(random.nextInt(3));
    }

    private int shard() {
        return random.nextInt(65_536);
    }

    /** Of any length in bits, so that every length of a varint occurs. */
    private long number() {
        return random.nextLong() >>> random.nextInt(1, 64);
    }

    private long[] numbers() {
        return random.longs(random.nextInt(5), 0, Long.MAX_VALUE).toArray();
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    private String text() {
        return "t\u00e9😀x".repeat(random.nextInt(4)) + random.nextInt(1_000);
    }
}
