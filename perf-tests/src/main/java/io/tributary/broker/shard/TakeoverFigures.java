package io.tributary.broker.shard;

import io.tributary.broker.delivery.MessageRouting;
import io.tributary.broker.delivery.SessionObserver;
import io.tributary.broker.subscription.Routes;
import io.tributary.broker.subscription.SharedChoice;
import io.tributary.broker.subscription.Subscriber;
import io.tributary.broker.subscription.SubscriptionLimits;
import io.tributary.broker.subscription.SubscriptionRequest;
import io.tributary.broker.subscription.Subscriptions;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisConfig;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.ClientKind;
import io.tributary.common.event.Destinations;
import io.tributary.common.event.Principal;
import io.tributary.common.event.Recipient;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.common.thread.RoomQueue;
import io.tributary.common.topic.TopicFilter;
import io.tributary.localcluster.LocalRedis;
import io.tributary.perf.jmh.Messages;
import io.tributary.perf.jmh.Scratch;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.shard.AppendCallback;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * What it takes a node to take over shards with many persistent sessions that are away, as after the death of another
 * node: from Redis, with drivers on one thread as they are on two cores, until all are live. The figures of
 * docs/decisions/0019-a-million-sessions.md.
 *
 * <pre>
 * TakeoverFigures SHARDS SESSIONS ROUNDS       SESSIONS of a shard
 * </pre>
 *
 * <p>Each round is a line; the first is that of a JVM that has never done it. Processor time is in microseconds a
 * session, by threads. "Others wait" is the longest time for which the shard thread works before tasks of other shards
 * have their turn.
 */
final class TakeoverFigures implements AutoCloseable {
    private static final long WEEK_SECONDS = 7 * 24 * 3600;
    private static final int SAVE_POINT = 1000;
    private static final int SERVERS = 3;
    private static final String NODE = "survivor/1";
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Pattern THREAD = Pattern.compile("(?m)^\"([^\"]+)\".* cpu=([0-9.]+)ms");

    private final int shards;
    private final int sessions;
    private final PrintStream out;
    private final Scratch scratch = new Scratch();
    private final LocalRedis servers;
    private final RedisCluster cluster;
    private final ShardStore store;
    private final Subscriptions subscriptions;
    private final OwnersLog log;

    private TakeoverFigures(int shards, int sessions, PrintStream out) {
        this.shards = shards;
        this.sessions = sessions;
        this.out = out;
        servers = LocalRedis.in(scratch.directory()).appendOnly(false).start();
        cluster = RedisCluster.connect(RedisConfig.of(servers.ports().stream()
                        .map(port -> new RedisConfig.Node("127.0.0.1", port))
                        .toList())
                .withCommandTimeout(Duration.ofMinutes(1)));
        store = new RedisShardStore(cluster, shards, RecordFormat.alone(), RedisRecorder.NONE);
        log = new OwnersLog(shards, sessions);
        subscriptions = new Subscriptions(
                new EchoMap(),
                Routes.NONE,
                SubscriptionLimits.builder().maxSize(Long.MAX_VALUE).build(),
                SharedChoice.DEFAULT,
                _ -> 0,
                shards,
                clientId -> LogAppender.shardOf(clientId, shards));
        subscriptions.start();
    }

    /** Prints them. */
    public static void main(String[] arguments) throws InterruptedException {
        PrintStream out = System.out;
        int shards = Integer.parseInt(arguments[0]);
        try (TakeoverFigures figures = new TakeoverFigures(shards, Integer.parseInt(arguments[1]), out)) {
            figures.fill();
            figures.run(Integer.parseInt(arguments[2]));
        }
    }

    /** Has each shard as many sessions, each with a subscription. */
    private void fill() {
        List<List<StoredSession>> stored = new ArrayList<>();
        for (int shard = 0; shard < shards; shard++) {
            stored.add(new ArrayList<>());
            join(store.claim(shard, new ShardStore.Claimant(0)));
        }
        int full = 0;
        for (int number = 0; full < shards; number++) {
            int shard = LogAppender.shardOf(Messages.client(number), shards);
            List<StoredSession> ofShard = stored.get(shard);
            if (ofShard.size() < sessions) {
                ofShard.add(session(number, ofShard.size()));
                full += ofShard.size() == sessions ? 1 : 0;
            }
        }
        for (int shard = 0; shard < shards; shard++) {
            List<StoredSession> ofShard = stored.get(shard);
            ofShard.forEach(this::subscribe);
            for (int from = 0; from < sessions; from += SAVE_POINT) {
                int to = Math.min(sessions, from + SAVE_POINT);
                join(store.save(shard, savePoint(from - 1, to - 1, ofShard.subList(from, to))));
            }
        }
    }

    private void subscribe(StoredSession session) {
        Subscriber subscriber = new Subscriber(
                session.clientId(), true, session.session(), null, ClientKind.DEVICE, Principal.ANONYMOUS);
        TopicFilter filter = TopicFilter.parse("away/" + session.clientId());
        subscriptions.subscribe(
                subscriber,
                session.epoch(),
                List.of(new SubscriptionRequest(filter, QoS.AT_LEAST_ONCE, false, false, 0)));
    }

    private static StoredSession session(int number, int offset) {
        return new StoredSession(
                Messages.client(number),
                offset,
                offset,
                null,
                number,
                WEEK_SECONDS,
                65_535,
                System.currentTimeMillis() + offset,
                Long.MAX_VALUE,
                0,
                SentUpTo.all(0),
                0,
                0,
                0,
                0,
                0,
                null,
                new int[0],
                0,
                Principal.ANONYMOUS);
    }

    private static SavePoint savePoint(long expected, long applied, List<StoredSession> sessions) {
        return new SavePoint(
                0, expected, applied, -1, 0, -1, List.of(), List.of(), sessions, List.of(), List.of(), List.of(),
                List.of());
    }

    private void run(int rounds) throws InterruptedException {
        out.println("| round | all live, s | first live, s | others wait, ms | Redis | shard thread | Lettuce |"
                + " JIT compilers | collector |");
        out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (int round = 1; round <= rounds; round++) {
            new Round(round).run();
        }
    }

    @Override
    public void close() {
        store.close();
        cluster.close();
        servers.close();
        scratch.close();
    }

    /** All shards are taken over once. */
    private final class Round implements SessionObserver {
        private final int number;
        private final ShardThread thread = new ShardThread("tributary-shard-0");
        private final List<ShardDriver> drivers = new ArrayList<>();
        private final CountDownLatch live = new CountDownLatch(shards);
        private volatile long firstLiveNanos;
        private volatile long longestNanos;
        private long lastNanos; // on the shard thread

        Round(int number) {
            this.number = number;
        }

        void run() throws InterruptedException {
            ShardEnvironment environment = environment(this, _ -> {
                if (firstLiveNanos == 0) {
                    firstLiveNanos = System.nanoTime();
                }
                live.countDown();
            });
            for (int shard = 0; shard < shards; shard++) {
                ShardDriver driver = new ShardDriver(shard, environment, thread);
                drivers.add(driver);
                thread.everyTick(driver::tick);
            }
            log.start(new Reading(thread, drivers));
            thread.start();
            Times begin = new Times();
            long begunNanos = System.nanoTime();
            for (int shard = 0; shard < shards; shard++) {
                log.assign(shard);
            }
            while (!live.await(1, TimeUnit.MILLISECONDS)) {
                probe();
            }
            long tookNanos = System.nanoTime() - begunNanos;
            for (int settled = 0; settled < 300; settled++) {
                probe();
                LockSupport.parkNanos(1_000_000);
            }
            Times end = new Times();
            end();
            print(begin, end, tookNanos, firstLiveNanos - begunNanos);
            if (subscriptions.sessionCount() != shards * sessions) {
                throw new IllegalStateException("an owner took sessions for over that it should have loaded");
            }
        }

        /** A task of another shard: what the thread has worked since the one before, as it comes once a millisecond. */
        private void probe() {
            thread.execute(() -> {
                long nowNanos = THREADS.getCurrentThreadCpuTime();
                longestNanos = Math.max(longestNanos, lastNanos == 0 ? 0 : nowNanos - lastNanos);
                lastNanos = nowNanos;
            });
        }

        /** Lets go of the shards without a save point. */
        private void end() throws InterruptedException {
            CountDownLatch over = new CountDownLatch(1);
            thread.execute(() -> {
                drivers.forEach(driver -> driver.revoked(() -> {}));
                over.countDown();
            });
            over.await();
            thread.stop();
        }

        private void print(Times begin, Times end, long tookNanos, long firstNanos) {
            double all = (double) shards * sessions;
            out.printf(
                    Locale.ROOT,
                    "| %d | %.2f | %.2f | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f |%n",
                    number,
                    tookNanos / 1e9,
                    firstNanos / 1e9,
                    longestNanos / 1e6,
                    (end.redis - begin.redis) / all,
                    (end.shard - begin.shard) / all,
                    (end.lettuce - begin.lettuce) / all,
                    (end.compilers - begin.compilers) / all,
                    (end.collector - begin.collector) / all);
        }

        @Override
        public void sessionEnded(String clientId, long session) {}

        @Override
        public Iterator<Runnable> shardLive(int shard, long upTo, ToLongFunction<String> sessionOf) {
            return subscriptions.endOver(shard, upTo, sessionOf);
        }
    }

    private ShardEnvironment environment(SessionObserver observer, IntConsumer onLive) {
        ShardConfig config = ShardConfig.defaults();
        AppTopics topics = nothing(AppTopics.class);
        LongSupplier millis = System::currentTimeMillis;
        return new ShardEnvironment(
                config,
                NODE,
                _ -> false,
                log,
                store,
                topics,
                new LogAppender(log, topics, Duration.ZERO, millis, RecordFormat.alone()),
                new Ways(),
                new Nowhere(),
                observer,
                new DeliveryMemory(config.deliveryBytes()),
                new DeliveryMemory(config.willBytes()),
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                millis,
                ShardRecorder.NONE,
                onLive);
    }

    /** Processor time so far, in microseconds. */
    private final class Times {
        final double redis = redisMicros();
        double shard;
        double lettuce;
        double compilers;
        double collector;

        Times() {
            Matcher threads = THREAD.matcher(threads());
            while (threads.find()) {
                String name = threads.group(1);
                double micros = Double.parseDouble(threads.group(2)) * 1000;
                shard += name.startsWith("tributary-shard") ? micros : 0;
                lettuce += name.startsWith("lettuce") ? micros : 0;
                compilers += name.matches("C[12] Compiler.*") ? micros : 0;
                collector += name.matches("(GC|G1) .*") ? micros : 0;
            }
        }

        /** Those of the JVM included, which no bean tells of. */
        private static String threads() {
            try {
                return ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                "threadPrint",
                                new Object[] {new String[0]},
                                new String[] {String[].class.getName()})
                        .toString();
            } catch (JMException e) {
                throw new IllegalStateException("this JVM does not print its threads", e);
            }
        }
    }

    private double redisMicros() {
        double sum = 0;
        for (int i = 1; i <= SERVERS; i++) {
            sum += servers.call(i, "INFO", "cpu")
                    .lines()
                    .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                    .sum();
        }
        return sum * 1e6;
    }

    private static <T extends @Nullable Object> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    /** Something that has nothing, and does nothing: there is no application. */
    private static <T> T nothing(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, _) -> switch (method.getName()) {
                    case "findAll" -> Map.of();
                    case "deletable" -> CompletableFuture.completedStage(Set.of());
                    default -> null;
                }));
    }

    /** A log in memory, whose records before an offset are gone; it hands out owners' records. */
    private static final class OwnersLog implements ShardLog {
        private final int first;
        private final List<List<LogRecord>> records = new ArrayList<>();
        private @Nullable Reader reader;

        OwnersLog(int shards, int first) {
            this.first = first;
            for (int shard = 0; shard < shards; shard++) {
                records.add(new ArrayList<>());
            }
        }

        void assign(int shard) {
            if (reader != null) {
                reader.onAssigned(shard);
            }
        }

        @Override
        public int shardCount() {
            return records.size();
        }

        @Override
        public synchronized boolean append(int shard, byte[] value, AppendCallback callback) {
            List<LogRecord> log = records.get(shard);
            LogRecord record = new LogRecord(first + log.size(), System.currentTimeMillis(), value);
            log.add(record);
            callback.onAppended(record.offset(), null);
            return true;
        }

        @Override
        public void onRoom(Runnable action) {
            action.run();
        }

        @Override
        public void start(Reader newReader) {
            reader = newReader;
        }

        @Override
        public synchronized void readFrom(int shard, long offset) {
            List<LogRecord> log = records.get(shard);
            if (reader != null && offset < first + log.size()) {
                reader.onRecords(shard, offset, List.copyOf(log.subList((int) offset - first, log.size())));
            }
        }

        @Override
        public void pause(int shard) {}

        @Override
        public void truncate(int shard, long offset) {}

        @Override
        public void close() {}
    }

    /** Passes on what the log says. */
    private record Reading(ShardThread thread, List<ShardDriver> drivers) implements ShardLog.Reader {
        @Override
        public void onAssigned(int shard) {
            thread.execute(drivers.get(shard)::assigned);
        }

        @Override
        public void onRevoked(int shard, Runnable released) {}

        @Override
        public void onRecords(int shard, long from, List<LogRecord> records) {
            thread.execute(() -> drivers.get(shard).records(from, records));
        }

        @Override
        public void onWentBack(int shard, long at) {}
    }

    /** Nobody is connected. */
    private static final class Ways implements OwnerTarget.Directory {
        @Override
        public OwnerTarget of(String node, int shard, long ownerEpoch) {
            return OwnerTarget.NOBODY;
        }

        @Override
        public Collection<String> alive() {
            return List.of(NODE);
        }
    }

    /** Nobody subscribes to anything that shards publish. */
    private static final class Nowhere implements MessageRouting {
        @Override
        public Destinations match(Message message, @Nullable Principal principal, Runnable stored) {
            stored.run();
            return Destinations.NONE;
        }

        @Override
        public @Nullable RoomQueue congestion() {
            return null;
        }

        @Override
        public Destinations matchAgain(Message message) {
            return Destinations.NONE;
        }

        @Override
        public Destinations matchGroup(Message message, Recipient leaving, boolean mayWait) {
            return Destinations.NONE;
        }

        @Override
        public boolean hasOnlineMember(String group) {
            return false;
        }

        @Override
        public void deliverTransient(Message message, Destinations destinations, Runnable taken) {
            taken.run();
        }
    }
}
