package io.tributary.broker.shard;

import static io.tributary.broker.shard.fold.Samples.NODE;
import static io.tributary.broker.shard.fold.Samples.attach;
import static io.tributary.broker.shard.fold.Samples.detach;
import static io.tributary.broker.shard.fold.Samples.publish;
import static io.tributary.broker.shard.fold.Samples.recipient;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.broker.delivery.Attached;
import io.tributary.broker.delivery.Delivery;
import io.tributary.broker.shard.QueueLimits.Overflow;
import io.tributary.common.event.AttachRefusal;
import io.tributary.common.event.EventCodec;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.ShardEvent;
import io.tributary.common.event.ShardEvent.Settled;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;

/**
 * A shard of which one session gets more than its client takes, while store and log are slow: 30,000 messages a second,
 * of which the client takes as many as the test says, with a store that answers after 20 ms and a log that has what its
 * owner appends after 20 ms. All in steps of a millisecond, however long these take, so that the figures are the same
 * on any machine.
 */
final class Flood {
    private static final int PUBLISHED_A_STEP = 30;
    private static final int LATE_STEPS = 20;
    static final int SECOND = 1000;
    private static final long EPOCH = 1;

    private final LateLog log = new LateLog();
    final HeldStore store = new HeldStore();
    final Taker client = new Taker();
    private final ShardDriver driver;
    private final byte[] message =
            EventCodec.encode(publish("x".repeat(62), recipient("a", EPOCH)), RecordFormat.NEWEST);

    private final Queue<Long> storeDue = new ArrayDeque<>();
    private long millis = 1_000_000;
    private long steps;

    long published;
    long dropped;
    private long counted;
    private long queued;
    long longest;

    Flood(Overflow overflow, int limit) {
        ShardConfig config = ShardConfig.builder()
                .threads(1)
                .unsavedSize(2 << 20)
                .deliverySize(64 << 20)
                .build()
                .with(new QueueLimits(limit, 64 << 20, overflow), CatchUpPace.NONE);
        driver = new ShardDriver(0, environment(config), Runnable::run);
        driver.assigned();
        log.makeDurable();
        store.answerAll();
        log.add(EventCodec.encode(attach("a", 7), RecordFormat.NEWEST));
        read();
        millis += 3000; // a shard that has just gone live has an excuse for long queues
        driver.tick();
    }

    /** All that was not dropped comes, once, in order. */
    void assertRestComesOnce() {
        for (int i = 0; i < 60 * SECOND && client.all < published - dropped; i++) {
            step(0, 1000);
        }
        assertThat(client.all).isEqualTo(published - dropped);
        for (int i = 0; i < 2 * SECOND; i++) {
            step(0, 1000);
        }
        assertThat(queued).as("in the queue, by the log").isZero();
    }

    /** The client goes away. */
    void leave() {
        log.add(EventCodec.encode(detach("a", EPOCH, 0), RecordFormat.NEWEST));
    }

    /** Publishes for so many steps, in each of which the client takes so many. */
    void run(int count, int taken) {
        for (int i = 0; i < count; i++) {
            step(PUBLISHED_A_STEP, taken);
        }
    }

    private void step(int messages, int taken) {
        millis++;
        steps++;
        for (int i = 0; i < messages; i++) {
            log.add(message);
        }
        published += messages;
        read();
        long[] settled = client.take(taken);
        if (settled.length > 0) {
            driver.serve(service -> service.settle("a", EPOCH, settled));
        }
        log.makeDurable();
        answer();
        if (steps % 100 == 0) {
            driver.tick();
        }
    }

    /** What the store was asked for so long ago is answered. */
    private void answer() {
        while (storeDue.size() < store.waiting()) {
            storeDue.add(steps + LATE_STEPS);
        }
        while (!storeDue.isEmpty() && storeDue.peek() <= steps) {
            storeDue.remove();
            store.arrive();
            store.answer();
        }
    }

    /** Hands out what the log has, as far as the driver wants it. */
    private void read() {
        int from = log.next;
        if (!log.isPaused && from < log.records.size()) {
            log.next = log.records.size();
            driver.records(from, List.copyOf(log.records.subList(from, log.next)));
        }
        for (; counted < log.next; counted++) {
            count(EventCodec.decode(log.records.get((int) counted).value()));
        }
    }

    /** How long the queue is by the log, as far as the driver has read it. */
    private void count(ShardEvent event) {
        if (event instanceof ShardEvent.Publish) {
            queued++;
        } else if (event instanceof Settled settled) {
            settled.clients().forEach(one -> queued -= one.settled().length);
        }
        longest = Math.max(longest, queued);
    }

    private ShardEnvironment environment(ShardConfig config) {
        return new ShardEnvironment(
                config,
                NODE,
                _ -> false,
                log,
                store,
                new InstantTopics(),
                InstantTopics.appender(log),
                new Nodes(),
                new NoRouting(),
                new NoObserver(),
                new DeliveryMemory(config.deliveryBytes()),
                new DeliveryMemory(config.willBytes()),
                () -> millis,
                () -> millis,
                new ShardRecorder() {
                    @Override
                    public void dropped(Drop reason) {
                        assertThat(reason).isEqualTo(Drop.QUEUE_FULL);
                        dropped++;
                    }
                },
                _ -> {});
    }

    /** One node, with the client's connection. */
    private final class Nodes implements OwnerTarget.Directory {
        @Override
        public OwnerTarget of(String node, int shard, long ownerEpoch) {
            return client;
        }

        @Override
        public Collection<String> alive() {
            return List.of(NODE);
        }
    }

    /** A log whose appends by the owner are in it {@link #LATE_STEPS} later, behind what came meanwhile. */
    private final class LateLog implements ShardLog {
        private final List<LogRecord> records = new ArrayList<>();
        private final Queue<Late> late = new ArrayDeque<>();
        private int next;
        private boolean isPaused;

        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record Late(long dueStep, byte[] value, AppendCallback callback) {}

        long add(byte[] value) {
            records.add(new LogRecord(records.size(), millis, value));
            return records.getLast().offset();
        }

        void makeDurable() {
            while (!late.isEmpty() && late.peek().dueStep <= steps) {
                Late due = late.remove();
                due.callback.onAppended(add(due.value), null);
            }
        }

        @Override
        public int shardCount() {
            return 1;
        }

        @Override
        public boolean append(int shard, byte[] value, AppendCallback callback) {
            late.add(new Late(steps == 0 ? 0 : steps + LATE_STEPS, value, callback));
            return true;
        }

        @Override
        public void onRoom(Runnable action) {
            action.run();
        }

        @Override
        public void start(Reader reader) {}

        @Override
        public void readFrom(int shard, long offset) {
            next = (int) offset;
            isPaused = false;
        }

        @Override
        public void pause(int shard) {
            isPaused = true;
        }

        @Override
        public void truncate(int shard, long offset) {}

        @Override
        public void close() {}
    }

    /** The client, which takes so many messages a step, and sees that they come once, in order. */
    static final class Taker implements OwnerTarget {
        private final Queue<Long> handed = new ArrayDeque<>();
        private long highest;
        long taken;
        private long all;

        long[] take(int most) {
            long[] sequences = new long[Math.min(most, handed.size())];
            for (int i = 0; i < sequences.length; i++) {
                sequences[i] = handed.remove();
            }
            taken += sequences.length;
            all += sequences.length;
            return sequences;
        }

        @Override
        public void deliver(long connection, List<Delivery> deliveries) {
            for (Delivery delivery : deliveries) {
                if (delivery.sequence() <= highest) {
                    throw new AssertionError(delivery.sequence() + " behind " + highest);
                }
                highest = delivery.sequence();
                handed.add(highest);
            }
        }

        @Override
        public void attached(long connection, Attached attached) {}

        @Override
        public boolean attachedLater(long connection) {
            return true;
        }

        @Override
        public void allAttached(long upTo) {}

        @Override
        public void refused(long connection, AttachRefusal reason) {}

        @Override
        public boolean takenOver(long connection) {
            return false;
        }

        @Override
        public boolean askForAllSettled(String clientId, long epoch) {
            return false;
        }

        @Override
        public void receivedLogged(long connection, long[] sequences) {}

        @Override
        public void relayed(long epoch, int packetId) {}

        @Override
        public void qos0(String clientId, long session, QueueEntry.Queued queued) {}
    }
}
