package io.tributary.server.blackbox.hostile;

import io.tributary.server.blackbox.BrokerProcess;
import io.tributary.server.blackbox.BrokerStats;
import io.tributary.server.blackbox.BrokerStats.Sample;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Watches the broker while something is done to it: a good client that must keep its service, and the highest memory
 * use.
 */
final class Watch implements AutoCloseable {
    private static final int INTERVAL_MILLIS = 200;

    private final BrokerStats stats;
    private final GoodClient goodClient;
    private final CountDownLatch over = new CountDownLatch(1);
    private final Thread thread;
    private final Sample before;
    private volatile Sample most;

    private Watch(BrokerStats stats, GoodClient goodClient) {
        this.stats = stats;
        this.goodClient = goodClient;
        before = stats.sample();
        most = before;
        thread = Thread.ofPlatform().daemon().name("watch").start(this::run);
    }

    static Watch over(BrokerProcess broker, String name) throws IOException {
        return new Watch(new BrokerStats(broker), new GoodClient(broker.tcpPort(), "good-" + name));
    }

    BrokerStats stats() {
        return stats;
    }

    GoodClient goodClient() {
        return goodClient;
    }

    /** How many messages went nowhere since the watch began. */
    long dropped() {
        return stats.sample().dropped() - before.dropped();
    }

    /** Ends the watch, and gives a line of the table of figures. */
    String finish(String what, String outcome) throws InterruptedException {
        String service = goodClient.finish();
        over.countDown();
        thread.join();
        return "| %s | %s | %s | %d | %d | %d |%n"
                .formatted(
                        what,
                        outcome,
                        service,
                        mebibytes(most.heapBytes()),
                        mebibytes(most.directBytes()),
                        mebibytes(most.residentBytes()));
    }

    @Override
    public void close() {
        over.countDown();
        goodClient.close();
        stats.close();
    }

    private void run() {
        try {
            while (!over.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS)) {
                Sample now = stats.sample();
                most = new Sample(
                        Math.max(most.heapBytes(), now.heapBytes()),
                        Math.max(most.directBytes(), now.directBytes()),
                        Math.max(most.residentBytes(), now.residentBytes()),
                        now.connections(),
                        now.dropped());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }
}
