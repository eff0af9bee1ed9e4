package io.tributary.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.broker.shard.fold.Samples;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.NodeShare;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Attach;
import io.tributary.common.event.ShardEvent.Detach;
import io.tributary.common.event.ShardEvent.Relay;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.PublishProperties;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.mqtt.UserProperty;
import io.tributary.common.mqtt.Will;
import io.tributary.persistence.shard.LogRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No record that a broker writes is larger than the largest that its log takes, whatever clients send: names, topics,
 * properties, wills and destinations are as large as MQTT allows, packets as large as is configured, all at random from
 * a seed.
 */
class RecordSizesTest {
    /** The most bytes of a text in MQTT. */
    private static final int LONGEST = 65_535;

    private static final String LONGEST_NAME = "\u20AC".repeat(Principal.MAX_BYTES / 3);
    private static final Principal LARGEST = new Principal(
            "", LONGEST_NAME, LONGEST_NAME, null, List.of(), null, "\u20AC".repeat(Principal.MAX_RULES_BYTES / 3));
    private static final int SMALLEST_PACKET = 1024;
    private static final List<Integer> MOST_IDS =
            new Random(0).ints(4_096, 1 << 21, 1 << 28).boxed().toList();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyRecordFitsIntoTheLog(long seed) {
        History history = new History(seed);
        history.run();
        assertThat(history.log.calls)
                .as("seed %s, packets of %s bytes", seed, history.packet)
                .noneMatch(call -> call.startsWith("refuse"));
        assertThat(history.driver.isLive()).isTrue();
    }

    @Test
    void allEventsAreAmongThem() {
        Set<Class<?>> seen = new HashSet<>();
        for (long seed = 101; seed < 104; seed++) {
            History history = new History(seed);
            history.run();
            seen.addAll(history.seen);
        }
        assertThat(seen).containsExactlyInAnyOrder(ShardEvent.class.getPermittedSubclasses());
    }

    /** A shard with clients that go to the limits. */
    private static final class History extends NoRouting {
        final HeldLog log = new HeldLog(1);
        final int packet;
        final ShardDriver driver;
        private final Random random;
        private final HeldStore store = new HeldStore();
        private final LogAppender appender;
        private final Map<String, Long> sessions = new HashMap<>();
        private final Map<String, Long> epochs = new HashMap<>();
        private final Map<String, ClientKind> queues = new HashMap<>();
        private long nowMillis = 1_000_000;
        private long connection;
        private final List<String> groups = new ArrayList<>();
        final Set<Class<?>> seen = new HashSet<>();
        private long read;

        private History(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 20; i++) {
                groups.add("$share/" + i + name());
            }
            packet = oneOf(SMALLEST_PACKET, 4 << 10, 64 << 10, 256 << 10);
            log.largestRecord(TopicNeeds.largestRecordBytes(1, packet));
            InstantTopics topics = new InstantTopics();
            appender = new LogAppender(log, topics, Duration.ofHours(1), () -> nowMillis, RecordFormat.alone());
            ShardConfig config = ShardConfig.builder()
                    .threads(1)
                    .savePointMessages(1000)
                    .unsavedSize(5 << 20)
                    .retention(Duration.ofSeconds(64))
                    .build()
                    .with(new QueueLimits(100, 4L << 20, Overflow.DROP_OLDEST, Duration.ZERO), CatchUpPace.NONE);
            driver = new ShardDriver(
                    0,
                    new ShardEnvironment(
                            config,
                            Samples.NODE,
                            _ -> false,
                            log,
                            store,
                            topics,
                            appender,
                            new RecordingNodes(),
                            this,
                            new NoObserver(),
                            new DeliveryMemory(1 << 20),
                            new DeliveryMemory(1 << 20),
                            () -> nowMillis,
                            () -> nowMillis,
                            ShardRecorder.NONE,
                            _ -> {}),
                    Runnable::run);
        }

        void run() {
            driver.assigned();
            turn();
            for (int i = 0; i < 8; i++) {
                connect(name(), i == 0 ? ClientKind.APPLICATION : ClientKind.DEVICE);
            }
            for (int i = 0; i < 60; i++) {
                act(anyClient());
                turn();
                pass(random.nextInt(400));
            }
            sessions.keySet().stream().sorted().forEach(client -> disconnect(client, 1));
            pass(20_000);
            for (int i = 0; i < 30; i++) {
                pass(1000);
            }
        }

        private void act(String client) {
            switch (random.nextInt(10)) {
                case 0 -> connect(client, queues.getOrDefault(client, ClientKind.DEVICE));
                case 1 -> disconnect(client, oneOf(5, 4_000_000));
                case 2, 3 -> relay(client);
                case 4 -> acknowledge();
                default ->
                    appender.publish(
                            message(client),
                            recipients(random.nextInt(1, random.nextInt(4) == 0 ? 250 : 6)),
                            _ -> random.nextBoolean() ? null : new Source(3, read, 0),
                            (_, _) -> {});
            }
        }

        private void connect(String client, ClientKind kind) {
            connection++;
            Will will = random.nextBoolean()
                    ? null
                    : new Will(message(client), random.nextInt(3), random.nextBoolean() ? -1 : 1000);
            Attach attach = new Attach(
                    client,
                    Samples.NODE,
                    connection,
                    random.nextInt(8) == 0,
                    4_000_000,
                    10,
                    kind,
                    will,
                    LARGEST,
                    false);
            appender.append(0, attach, (offset, _) -> {
                if (attach.cleanStart() || !sessions.containsKey(client)) {
                    sessions.put(client, offset);
                }
                epochs.put(client, offset);
                queues.put(client, kind);
            });
            turn();
        }

        private void disconnect(String client, long expirySeconds) {
            long epoch = epochs.getOrDefault(client, 0L);
            appender.append(0, new Detach(client, epoch, random.nextBoolean(), expirySeconds, 0), (_, _) -> {});
            turn();
        }

        private void relay(String client) {
            Destinations destinations = destinations(random.nextInt(4) == 0 ? 300 : random.nextInt(1, 5));
            long epoch = epochs.getOrDefault(client, 0L);
            int packetId = random.nextInt(1, 65_536);
            Relay relay = new Relay(client, epoch, packetId, message(client), destinations);
            appender.append(0, relay.to(appender.bounded(destinations)), (_, _) -> {});
            if (random.nextInt(4) == 0) {
                appender.append(0, new Release(client, epoch, packetId), (_, _) -> {});
            }
        }

        private void acknowledge() {
            epochs.forEach((client, epoch) -> {
                long[] sequences = random.longs(300, 1, 400).distinct().sorted().toArray();
                if (random.nextBoolean()) {
                    driver.serve(service -> service.settle(client, epoch, sequences));
                } else {
                    driver.serve(service -> service.received(client, epoch, sequences));
                }
            });
        }

        /** What is on its way becomes durable and is read. */
        private void turn() {
            do {
                log.pending().forEach(event -> seen.add(event.getClass()));
                log.makeDurable(nowMillis);
                store.answerAll();
                List<LogRecord> records = log.from(0, read);
                if (!records.isEmpty()) {
                    driver.records(read, records);
                    read += records.size();
                }
            } while (!log.pending().isEmpty());
        }

        private void pass(long millis) {
            nowMillis += millis;
            driver.tick();
            turn();
        }

        // What clients send.

        private Message message(String publisher) {
            int left = packet - random.nextInt(SMALLEST_PACKET / 2);
            String topic = text(random.nextInt(4) == 0 ? LONGEST : random.nextInt(1, 100)); // an alias stood for it
            if (random.nextInt(3) > 0) {
                return new Message(topic, new byte[left], qos(), false, PublishProperties.NONE, expiry(), publisher);
            }
            List<UserProperty> properties = new ArrayList<>();
            for (int i = random.nextInt(100); i > 0 && left > 50; i--) {
                String value = text(Math.min(random.nextInt(30_000), left - 20));
                properties.add(new UserProperty("n", value));
                left -= bytes(value) + 6;
            }
            String contentType = text(Math.clamp(left - 20L, 0, LONGEST));
            left -= bytes(contentType) + 3;
            String responseTopic = text(Math.clamp(left - 20L, 0, LONGEST));
            left -= bytes(responseTopic) + 3;
            byte[] correlation = new byte[Math.clamp(left - 20L, 0, LONGEST)];
            return new Message(
                    topic,
                    new byte[Math.max(0, left - 20 - correlation.length)],
                    qos(),
                    false,
                    new PublishProperties(null, contentType, responseTopic, correlation, properties),
                    expiry(),
                    publisher);
        }

        private long expiry() {
            return random.nextBoolean() ? Message.NEVER : nowMillis + 1_000_000;
        }

        private QoS qos() {
            return random.nextBoolean() ? QoS.AT_LEAST_ONCE : QoS.EXACTLY_ONCE;
        }

        private Destinations destinations(int count) {
            List<NodeShare> shares =
                    random.nextBoolean() ? List.of() : List.of(new NodeShare("elsewhere/1", recipients(count), true));
            return new Destinations(recipients(count), shares);
        }

        private List<Recipient> recipients(int count) {
            List<Recipient> recipients = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                recipients.add(recipient(anyClient(), random.nextBoolean() ? null : groups.get(random.nextInt(20))));
            }
            return recipients;
        }

        private Recipient recipient(String client, @Nullable String group) {
            List<Integer> ids = random.nextInt(20) == 0 ? MOST_IDS : List.of();
            return new Recipient(
                    client,
                    sessions.getOrDefault(client, 0L),
                    qos(),
                    false,
                    ids,
                    group,
                    queues.getOrDefault(client, ClientKind.DEVICE));
        }

        private String anyClient() {
            List<String> known = sessions.keySet().stream().sorted().toList();
            return known.isEmpty() ? name() : known.get(random.nextInt(known.size()));
        }

        private String name() {
            return connection + text(oneOf(10, 100, 100, 100, 1024, 1024, LONGEST - 10));
        }

        /** A text of so many bytes at most. */
        private String text(int bytes) {
            return random.nextBoolean() ? "x".repeat(bytes) : "\u20AC".repeat(bytes / 3);
        }

        private static int bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8).length;
        }

        private int oneOf(int... values) {
            return values[random.nextInt(values.length)];
        }

        // What the router finds.

        @Override
        public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
            stored.run();
            return destinations(random.nextInt(3) == 0 ? 300 : 3);
        }

        @Override
        public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
            return Samples.recipients(recipient(anyClient(), leaving.group()));
        }

        @Override
        public boolean hasOnlineMember(String group) {
            return true;
        }
    }
}
