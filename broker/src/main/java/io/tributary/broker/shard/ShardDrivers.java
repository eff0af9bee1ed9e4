package io.tributary.broker.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The drivers of all shards, those that this node does not own included, each on its thread. Safe for all threads. */
final class ShardDrivers {
    private static final Logger LOG = LoggerFactory.getLogger(ShardDrivers.class);

    private final List<ShardThread> threads;
    private final int shards;
    private final List<ShardDriver> drivers;
    private final DeliveryMemory memory;
    private final DeliveryMemory willMemory;

    ShardDrivers(int shards, ShardEnvironment environment) {
        this.shards = shards;
        threads = IntStream.range(0, Math.min(environment.config().threads(), shards))
                .mapToObj(i -> new ShardThread("tributary-shard-" + i))
                .toList();
        memory = environment.memory();
        willMemory = environment.willMemory();
        drivers = IntStream.range(0, shards)
                .mapToObj(shard -> new ShardDriver(shard, environment, threadOf(shard)))
                .toList();
    }

    /** Starts the threads. */
    void start() {
        for (int shard = 0; shard < drivers.size(); shard++) {
            threadOf(shard).everyTick(drivers.get(shard)::tick);
        }
        threads.forEach(ShardThread::start);
    }

    /** How many shards there are. */
    int count() {
        return drivers.size();
    }

    Stream<ShardDriver> all() {
        return drivers.stream();
    }

    ShardDriver of(int shard) {
        return drivers.get(shard);
    }

    /** Shards in a row have one thread: a node's are spread over all numbers, at equal distances often. */
    ShardThread threadOf(int shard) {
        return threads.get(threadOf(shard, shards, threads.size()));
    }

    /** Which of the threads has a shard. */
    static int threadOf(int shard, int shards, int threads) {
        return (int) ((long) shard * threads / shards);
    }

    /** Whether this node serves the shard. */
    boolean isLive(int shard) {
        return drivers.get(shard).isLive();
    }

    /** Tells the driver of a shard, on its thread. */
    void tell(int shard, Consumer<ShardDriver> what) {
        tell(shard, ShardThread.MUCH, what);
    }

    /**
     * The same for what is as much work as so many records.
     *
     * @see ShardThread#execute(int, Runnable)
     */
    void tell(int shard, int records, Consumer<ShardDriver> what) {
        ShardDriver driver = drivers.get(shard);
        threadOf(shard).execute(records, () -> what.accept(driver));
    }

    /** Tells the drivers of all shards, each on its thread. */
    void tellAll(Consumer<ShardDriver> what) {
        for (int shard = 0; shard < drivers.size(); shard++) {
            tell(shard, what);
        }
    }

    /** Troubles other than the store's that keep shards of this node from being served, a sentence each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (int shard = 0; shard < drivers.size(); shard++) {
            String problem = drivers.get(shard).problem();
            if (problem != null) {
                problems.add("shard " + shard + ": " + problem);
            }
        }
        return problems;
    }

    /** How much memory messages between queues and connections take, in bytes. */
    long deliveryBytes() {
        return memory.used();
    }

    /** How much memory the wills of sessions take, in bytes. */
    long willBytes() {
        return willMemory.used();
    }

    /** Figures of this node's shards, a few seconds old at most. */
    ShardStats stats() {
        return drivers.stream().map(ShardDriver::stats).reduce(ShardStats.NONE, ShardStats::plus);
    }

    /**
     * Has this node own no shard any more: what was acknowledged is logged before another node's owner is, for it would
     * be sent again otherwise. Blocks until done, for so many seconds at most.
     */
    void letGo(int patienceSeconds) {
        CountDownLatch done = new CountDownLatch(drivers.size());
        tellAll(driver -> {
            try {
                driver.revoked(() -> {});
            } finally {
                done.countDown();
            }
        });
        try {
            if (!done.await(patienceSeconds, TimeUnit.SECONDS)) {
                LOG.warn("the shards are busy; what was acknowledged last may be sent again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the threads. */
    void stop() {
        threads.forEach(ShardThread::stop);
    }
}
