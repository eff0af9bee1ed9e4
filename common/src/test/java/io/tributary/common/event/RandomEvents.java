package io.tributary.common.event;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Events and state with everything at random, the same for the same seed. */
final class RandomEvents {
    private static final int[] CODE_POINTS = {'a', 'Z', '/', '+', 0x7F, 0x80, 0x7FF, 0x800, 0xFFFD, 0x1F600};

    private final Random random;

    RandomEvents(long seed) {
        random = new Random(seed);
    }

    /** One event of each type. */
    List<ShardEvent> oneOfEach() {
        return List.of(
                publish(),
                new Relay(text(), number(), random.nextInt(1, 65_536), message(), destinations()),
                new Release(text(), number(), random.nextInt(1, 65_536)),
                attach(),
                new Detach(
                        text(),
                        number(),
                        random.nextBoolean(),
                        number(),
                        nullable(this::sentUpTo),
                        nullable(this::will)),
                new Owner(text()),
                new Settled(number(), list(this::clientSettled), list(this::position)),
                new SessionExpired(number(), text(), number(), number()),
                new WillDue(text(), number(), message(), destinations()),
                new Redistribution(number(), text(), number(), list(this::moved)),
                new SnapshotSession(number(), number(), session(), nullable(this::will)),
                new SnapshotQueue(number(), number(), text(), list(() -> new SnapshotEntry(number(), queueEntry()))),
                new SnapshotComplete(
                        number(), number(), random.nextBoolean() ? -1 : number(), list(this::presentSource)),
                new ShardEvent.TopicFound(number(), text(), number(), text(), number(), number()));
    }

    Publish publish() {
        return new Publish(message(), list(this::recipient), source());
    }

    StoredSession session() {
        int[] inboundPacketIds =
                random.ints(random.nextInt(4), 1, 65_536).sorted().toArray();
        return new StoredSession(
                text(),
                number(),
                number(),
                nullable(this::text),
                number(),
                number(),
                random.nextInt(1, 65_536),
                number(),
                random.nextBoolean() ? Long.MAX_VALUE : number(),
                number(),
                random.nextBoolean() ? SentUpTo.all(-1) : sentUpTo(),
                number(),
                number(),
                number(),
                number(),
                number(),
                nullable(this::topic),
                inboundPacketIds,
                inboundPacketIds.length == 0 ? 0 : number(),
                nullable(this::principal));
    }

    private SentUpTo sentUpTo() {
        return random.nextBoolean() ? SentUpTo.all(number()) : SentUpTo.of(number(), number(), number(), number());
    }

    QueueEntry queueEntry() {
        return random.nextInt(4) == 0
                ? new QueueEntry.Released()
                : new QueueEntry.Queued(
                        message(), qos(), random.nextBoolean(), subscriptionIds(), nullable(this::text));
    }

    Will will() {
        return new Will(message(), number(), random.nextBoolean() ? -1 : number());
    }

    Message message() {
        return new Message(
                text(),
                bytes(),
                qos(),
                random.nextBoolean(),
                random.nextBoolean() ? PublishProperties.NONE : properties(),
                random.nextBoolean() ? Message.NEVER : number(),
                text(),
                random.nextInt(Message.HIGHEST_PRIORITY + 1));
    }

    @Nullable
    Source source() {
        return nullable(this::presentSource);
    }

    private Attach attach() {
        return new Attach(
                text(),
                text(),
                number(),
                random.nextBoolean(),
                number(),
                random.nextInt(1, 65_536),
                kind(),
                nullable(this::will),
                nullable(this::principal),
                random.nextBoolean(),
                new Exhausted(random.nextBoolean(), random.nextBoolean()));
    }

    private Principal principal() {
        String name = text();
        return random.nextInt(4) == 0
                ? Principal.ANONYMOUS
                : new Principal(
                        text(),
                        name,
                        random.nextBoolean() ? name : nullable(this::text),
                        nullable(() -> "tenant-" + random.nextInt(1_000)),
                        list(this::text),
                        random.nextBoolean() ? name : nullable(this::text));
    }

    private TopicPosition position() {
        return new TopicPosition(text(), number(), number(), number(), number(), list(this::presentSource));
    }

    private TopicState topic() {
        return new TopicState(
                random.nextBoolean() ? ClientKind.APPLICATION : ClientKind.SMALL_APPLICATION,
                nullable(this::text),
                number(),
                number(),
                number(),
                numbers(),
                numbers(),
                list(this::presentSource));
    }

    private Source presentSource() {
        return new Source(random.nextInt(65_536), number(), random.nextInt(1000));
    }

    private ClientKind kind() {
        return ClientKind.of(random.nextInt(3));
    }

    private ClientSettled clientSettled() {
        return new ClientSettled(text(), number(), numbers(), number(), numbers());
    }

    private MovedMessage moved() {
        return new MovedMessage(number(), number(), message(), destinations());
    }

    private Recipient recipient() {
        return new Recipient(
                text(), number(), qos(), random.nextBoolean(), subscriptionIds(), nullable(this::text), kind());
    }

    private Destinations destinations() {
        return random.nextInt(4) == 0 ? Destinations.NONE : new Destinations(list(this::recipient), list(this::share));
    }

    private NodeShare share() {
        return new NodeShare(text(), list(this::recipient), random.nextBoolean());
    }

    private PublishProperties properties() {
        return new PublishProperties(
                nullable(() -> random.nextBoolean() ? PayloadFormat.UTF_8 : PayloadFormat.UNSPECIFIED),
                nullable(this::text),
                nullable(this::text),
                nullable(this::bytes),
                list(() -> new UserProperty(text(), text())));
    }

    private List<Integer> subscriptionIds() {
        return list(() -> random.nextInt(1, 268_435_456));
    }

    private QoS qos() {
        return QoS.of(random.nextInt(3));
    }

    /** Of any length in bits, so that every length of a varint occurs. */
    private long number() {
        return random.nextLong() >>> random.nextInt(1, 64);
    }

    private long[] numbers() {
        return random.longs(random.nextInt(5), 0, Long.MAX_VALUE).toArray();
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(10) == 0 ? random.nextInt(5000) : random.nextInt(50)];
        random.nextBytes(bytes);
        return bytes;
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(20); left > 0; left--) {
            text.appendCodePoint(CODE_POINTS[random.nextInt(CODE_POINTS.length)]);
        }
        return text.toString();
    }

    private <T> List<T> list(Supplier<T> element) {
        List<T> list = new ArrayList<>();
        for (int left = random.nextInt(4); left > 0; left--) {
            list.add(element.get());
        }
        return list;
    }

    private <T> @Nullable T nullable(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }
}
