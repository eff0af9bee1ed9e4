package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.message;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tributary.broker.shard.fold.Samples;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Publish;
import io.tributary.common.event.ShardEvent.Release;
import io.tributary.common.event.Source;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogAppenderTest {
    private static final AppendCallback IGNORE = (offset, failure) -> {};

    /** With small packets, of 64 KiB. */
    private static final int LARGEST_RECORD = (64 << 10) + (512 << 10);

    private static final String LONG = "x".repeat(65_000);

    private final HeldLog log = new HeldLog(8);
    private final LogAppender appender = InstantTopics.appender(log);
    private final List<String> told = new ArrayList<>();

    @Test
    void shardOfAClientNeverChanges() {
        assertThat(IntStream.range(0, 6).mapToObj(i -> appender.shardOf("client-" + i)))
                .containsExactly(1, 0, 6, 7, 7, 6);
        assertThat(appender.shardOf("")).isZero();
    }

    @Test
    void clientsSpreadOverAllShards() {
        int[] clients = new int[8];
        for (int i = 0; i < 8000; i++) {
            clients[appender.shardOf("device-" + i)]++;
        }
        assertThat(Arrays.stream(clients).boxed()).allMatch(count -> count > 700 && count < 1300);
    }

    @Test
    void oneRecordGoesToEachShard() {
        List<Recipient> recipients = IntStream.range(0, 100)
                .mapToObj(i -> recipient("client-" + i, i))
                .toList();
        appender.publish(message("m"), recipients, _ -> null, this::tell);
        assertThat(publishes())
                .hasSize(8)
                .allSatisfy(publish -> assertThat(publish.recipients())
                        .extracting(recipient -> appender.shardOf(recipient.clientId()))
                        .containsOnly(
                                appender.shardOf(publish.recipients().getFirst().clientId())));
        assertThat(publishes().stream()
                        .mapToInt(publish -> publish.recipients().size())
                        .sum())
                .isEqualTo(100);
        log.makeDurable();
        assertThat(told).containsExactly("done");
    }

    @Test
    void recipientsAreSplitWhenTooManyForARecord() {
        List<Recipient> recipients = IntStream.range(0, ShardEvent.MAX_RECIPIENTS + 1)
                .mapToObj(i -> recipient("a", i))
                .toList();
        int[] parts = {0};
        appender.publish(message("m"), recipients, shard -> new Source((Integer) shard, 9, parts[0]++), this::tell);
        assertThat(publishes())
                .extracting(publish -> publish.recipients().size())
                .containsExactly(ShardEvent.MAX_RECIPIENTS, 1);
        assertThat(publishes()).extracting(publish -> part(publish.source())).containsExactly(0, 1);
    }

    @Test
    void recipientsAreSplitWhenTheirNamesAreLong() {
        log.largestRecord(LARGEST_RECORD);
        List<Recipient> recipients = IntStream.range(0, ShardEvent.MAX_RECIPIENTS)
                .mapToObj(i -> new Recipient("a", i, QoS.AT_LEAST_ONCE, false, List.of(), "$share/" + i + LONG))
                .toList();
        int[] parts = {0};
        appender.publish(message("m"), recipients, shard -> new Source((Integer) shard, 9, parts[0]++), this::tell);
        log.makeDurable();
        assertThat(told).containsExactly("done");
        assertThat(publishesOf(log.events(appender.shardOf("a"))))
                .flatExtracting(Publish::recipients)
                .isEqualTo(recipients);
        assertThat(publishesOf(log.events(appender.shardOf("a"))))
                .extracting(publish -> part(publish.source()))
                .isEqualTo(IntStream.range(0, parts[0]).boxed().toList());
    }

    @Test
    void callbackIsToldOfAFailureWhenAllAreKnown() {
        appender.publish(message("m"), twoShards(), _ -> null, this::tell);
        log.fail();
        assertThat(told).isEmpty();
        log.makeDurable();
        assertThat(told).containsExactly("failed");
    }

    @Test
    void appendsWaitInOrderWhenThereIsNoRoom() {
        log.room(1);
        for (int i = 1; i <= 4; i++) {
            appender.append(0, new Release("a", 0, i), IGNORE);
        }
        assertThat(packetIds()).containsExactly(1);
        assertThat(appender.isCongested()).isTrue();
        log.room(2);
        assertThat(packetIds()).containsExactly(1, 2, 3);
        assertThat(appender.isCongested()).isTrue();
        log.room(9);
        assertThat(packetIds()).containsExactly(1, 2, 3, 4);
        assertThat(appender.isCongested()).isFalse();
    }

    /** The payload of a message for thousands of sessions would be in memory for each two hundred of them. */
    @Test
    void whatWaitsForRoomIsNotEncoded() {
        int[] encoded = {0};
        log.room(0);
        for (int i = 0; i < 100; i++) {
            appender.append(0, publish(i, () -> encoded[0]++), this::tell);
        }
        assertThat(encoded[0]).as("those that the log was asked to take").isLessThanOrEqualTo(2);

        log.room(100);
        assertThat(publishes())
                .extracting(publish -> publish.recipients().getFirst().session())
                .isEqualTo(LongStream.range(0, 100).boxed().toList());
        log.makeDurable();
        assertThat(told).hasSize(100).containsOnly("done");
    }

    @Test
    void eventThatCannotBeEncodedFailsAtOnce() {
        ShardEvent bad = publish(1, LogAppenderTest::refuse);
        assertThatThrownBy(() -> appender.append(0, bad, this::tell)).hasMessage("not to be encoded");
        assertThat(told).isEmpty();
        assertThat(appender.isCongested()).isFalse();
    }

    @Test
    void eventThatCannotBeEncodedHoldsUpNoneBehindIt() {
        log.room(0);
        appender.append(0, new Release("a", 0, 1), IGNORE);
        appender.append(0, publish(1, LogAppenderTest::refuse), this::tell);
        appender.append(0, new Release("a", 0, 2), IGNORE);
        log.room(9);
        assertThat(packetIds()).containsExactly(1, 2);
        assertThat(told).containsExactly("failed");
        assertThat(appender.isCongested()).isFalse();
    }

    private static void refuse() {
        throw new IllegalStateException("not to be encoded");
    }

    private static Publish publish(long session, Runnable onEncoding) {
        List<Integer> ids = new AbstractList<>() {
            @Override
            public Integer get(int index) {
                onEncoding.run();
                return 1;
            }

            @Override
            public int size() {
                return 1;
            }
        };
        Recipient recipient = new Recipient("a", session, QoS.AT_LEAST_ONCE, false, ids, null);
        return new Publish(message("m"), List.of(recipient), null);
    }

    @Test
    void roomIsToldWhenNothingWaitsAnyMore() {
        appender.onRoom(() -> told.add("room at once"));
        log.room(0);
        appender.append(0, new Release("a", 0, 1), IGNORE);
        appender.onRoom(() -> told.add("room"));
        assertThat(told).containsExactly("room at once");
        log.room(1);
        assertThat(told).containsExactly("room at once", "room");
    }

    @Test
    void appendsOfAThreadKeepTheirOrderWhenTheLogIsFullNowAndThen() throws InterruptedException {
        CrowdedLog crowded = new CrowdedLog();
        LogAppender shared = InstantTopics.appender(crowded);
        int threads = 4;
        int each = 5_000;
        CountDownLatch done = new CountDownLatch(threads * each);
        for (int thread = 0; thread < threads; thread++) {
            String name = "thread-" + thread;
            Thread.ofPlatform().start(() -> {
                for (int i = 1; i <= each; i++) {
                    shared.append(0, new Release(name, 0, i), (offset, failure) -> done.countDown());
                }
            });
        }
        done.await();
        assertThat(crowded.outOfOrder).isEmpty();
    }

    /** A log that refuses one append in eight and has room again on another thread. */
    private static final class CrowdedLog implements ShardLog {
        final List<String> outOfOrder = new ArrayList<>();
        private final Map<String, Integer> latest = new HashMap<>();
        private boolean full;

        @Override
        public int shardCount() {
            return 1;
        }

        @Override
        public synchronized boolean append(int shard, byte[] value, AppendCallback callback) {
            full |= ThreadLocalRandom.current().nextInt(8) == 0;
            if (full) {
                return false;
            }
            Release release = (Release) EventCodec.decode(value);
            int before = latest.getOrDefault(release.clientId(), 0);
            if (release.packetId() != before + 1) {
                outOfOrder.add(release.toString());
            }
            latest.put(release.clientId(), release.packetId());
            callback.onAppended(0, null);
            return true;
        }

        @Override
        public void onRoom(Runnable action) {
            Thread.ofPlatform().start(() -> {
                synchronized (this) {
                    full = false;
                }
                action.run();
            });
        }

        @Override
        public void start(Reader reader) {}

        @Override
        public void readFrom(int shard, long offset) {}

        @Override
        public void pause(int shard) {}

        @Override
        public void truncate(int shard, long offset) {}

        @Override
        public void close() {}
    }

    private void tell(long offset, @Nullable Throwable failure) {
        told.add(failure == null ? "done" : "failed");
    }

    private List<Recipient> twoShards() {
        int first = appender.shardOf("client-0");
        String other = IntStream.range(1, 100)
                .mapToObj(i -> "client-" + i)
                .filter(name -> appender.shardOf(name) != first)
                .findFirst()
                .orElseThrow();
        return List.of(recipient("client-0", 0), recipient(other, 0));
    }

    private List<Publish> publishes() {
        return publishesOf(log.pending());
    }

    private static List<Publish> publishesOf(List<ShardEvent> events) {
        return events.stream().map(Publish.class::cast).toList();
    }

    private List<Integer> packetIds() {
        return log.pending().stream().map(event -> ((Release) event).packetId()).toList();
    }

    private static int part(@Nullable Source source) {
        return source == null ? -1 : source.part();
    }

    @Test
    void messageExpiresWhenItIsOlderThanQueuesKeepIt() {
        HeldLog held = new HeldLog(1);
        LogAppender aging =
                new LogAppender(held, new InstantTopics(), Duration.ofSeconds(10), () -> 5_000, RecordFormat.alone());
        for (long expiry : new long[] {Message.NEVER, 15_001, 14_999}) {
            aging.publish(
                    Samples.message("m").withExpiry(expiry),
                    List.of(Samples.recipient("a", 1)),
                    _ -> null,
                    (_, _) -> {});
        }
        assertThat(held.pending())
                .extracting(event -> ((ShardEvent.Publish) event).message().expiresAtMillis())
                .containsExactly(15_000L, 15_000L, 14_999L);
    }
}
