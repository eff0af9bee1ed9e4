package io.tributary.broker.metrics;

import io.micrometer.core.instrument.Timer;
import io.tributary.broker.shard.ApplicationLag;
import io.tributary.broker.shard.ShardRecorder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the shards do. */
final class ShardCounters implements ShardRecorder {
    private static final double MILLIS_A_SECOND = 1_000;

    private final Map<Drop, LongAdder> dropped;
    private final Timer handedOn;
    private final LongAdder savePoints;
    private final LongAdder savedMessages;
    private final LongAdder sweptMessages;
    private final LongAdder storeFailures;
    private final LongAdder records;
    private final LongAdder live;
    private final LongAdder recordsLost;
    private final LongAdder topicRecordsLost;
    private final LongAdder topicsMadeAnew;
    private final LongAdder restores;
    private final LongAdder logWentBack;
    private final Map<Integer, Long> snapshotDelays = new ConcurrentHashMap<>();
    private final ApplicationLagGauges lags;
    private final DeadlineCounters deadlines;

    ShardCounters(Meters meters, DeadlineCounters deadlines) {
        this.deadlines = deadlines;
        dropped = meters.counters(BrokerMeters.MESSAGES_DROPPED, Drop.class, "queue", RuleSetCounters.NONE);
        handedOn = meters.timer(BrokerMeters.MESSAGES_DELIVERY);
        savePoints = meters.counter(BrokerMeters.SAVE_POINTS);
        savedMessages = meters.counter(BrokerMeters.SAVED_MESSAGES);
        sweptMessages = meters.counter(BrokerMeters.SWEPT_MESSAGES);
        storeFailures = meters.counter(BrokerMeters.STORE_FAILURES);
        records = meters.counter(BrokerMeters.SHARD_RECORDS);
        live = meters.counter(BrokerMeters.SHARD_TAKEOVERS);
        recordsLost = meters.counter(BrokerMeters.SHARD_RECORDS_LOST);
        topicRecordsLost = meters.counter(BrokerMeters.APPLICATION_RECORDS_LOST);
        topicsMadeAnew = meters.counter(BrokerMeters.APPLICATION_TOPICS_MADE_ANEW);
        restores = meters.counter(BrokerMeters.SHARD_RESTORES);
        logWentBack = meters.counter(BrokerMeters.SHARD_LOG_WENT_BACK);
        meters.gauge(BrokerMeters.SHARD_SNAPSHOT_DELAY, this::longestSnapshotDelaySeconds);
        lags = new ApplicationLagGauges(meters);
    }

    @Override
    public void dropped(Drop reason) {
        Meters.of(dropped, reason).increment();
    }

    @Override
    public void deadlineMissed(String topic) {
        deadlines.missed(topic);
    }

    @Override
    public boolean countsDeadlines() {
        return deadlines.hasRules();
    }

    @Override
    public void handedOn(long millis) {
        handedOn.record(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void saved(int queuedEntries) {
        savePoints.increment();
        savedMessages.add(queuedEntries);
    }

    @Override
    public void lookedForExpired(long messages) {
        sweptMessages.add(messages);
    }

    @Override
    public void storeFailed() {
        storeFailures.increment();
    }

    @Override
    public void folded(int count) {
        records.add(count);
    }

    @Override
    public void live(int shard, int sessions) {
        live.increment();
    }

    @Override
    public void restored(int shard) {
        restores.increment();
    }

    @Override
    public void snapshotDelay(int shard, long millis) {
        if (millis == 0) {
            snapshotDelays.remove(shard);
        } else {
            snapshotDelays.put(shard, millis);
        }
    }

    private double longestSnapshotDelaySeconds() {
        return snapshotDelays.values().stream()
                        .mapToLong(millis -> millis)
                        .max()
                        .orElse(0)
                / MILLIS_A_SECOND;
    }

    @Override
    public void logWentBack(int shard) {
        logWentBack.increment();
    }

    @Override
    public void recordsLost(long count) {
        recordsLost.add(count);
    }

    @Override
    public void topicRecordsLost(long count) {
        topicRecordsLost.add(count);
    }

    @Override
    public void topicMadeAnew() {
        topicsMadeAnew.increment();
    }

    @Override
    public void lag(String clientId, ApplicationLag lag) {
        lags.show(clientId, lag);
    }

    @Override
    public void lagUnknown(String clientId) {
        lags.forget(clientId);
    }

    long dropped() {
        return Meters.sum(dropped.values());
    }
}
