package io.tributary.broker;

import io.tributary.broker.deployment.Storage;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.rocksdb.RocksDbAppTopics;
import io.tributary.persistence.rocksdb.RocksDbAuditLog;
import io.tributary.persistence.rocksdb.RocksDbDatabase;
import io.tributary.persistence.rocksdb.RocksDbReplicatedMap;
import io.tributary.persistence.rocksdb.RocksDbShardLog;
import io.tributary.persistence.rocksdb.RocksDbShardStore;
import io.tributary.persistence.rocksdb.StorageException;
import io.tributary.persistence.rocksdb.StorageRecorder;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The storage of a standalone broker: one RocksDB database in its data directory. */
record StandaloneStorage(
        RocksDbDatabase database,
        ShardLog log,
        ShardStore store,
        AppTopics topics,
        ReplicatedMap subscriptions,
        ReplicatedMap retained,
        Map<String, ReplicatedMap> security,
        AuditLog audit)
        implements Storage {

    /**
     * Opens it, or creates it.
     *
     * @param clock set to the time of the latest event when that is later: an earlier start may have had a wall clock
     *     that was ahead
     */
    static StandaloneStorage open(BrokerConfig config, StorageRecorder recorder, SteadyClock clock) {
        RocksDbDatabase database;
        try {
            database = RocksDbDatabase.open(config.dataDirectory(), config.storage(), recorder);
        } catch (StorageException e) {
            throw new BrokerStartException(String.valueOf(e.getMessage()), e);
        }
        try {
            RocksDbShardLog log = new RocksDbShardLog(database, clock);
            if (log.latestMillis() > clock.millis()) {
                clock.observed(log.latestMillis());
            }
            return new StandaloneStorage(
                    database,
                    log,
                    new RocksDbShardStore(database),
                    new RocksDbAppTopics(database, clock),
                    new RocksDbReplicatedMap(database, "subscriptions"),
                    new RocksDbReplicatedMap(database, "retained"),
                    SecurityTable.mapNames().stream()
                            .collect(Collectors.toMap(
                                    Function.identity(), name -> new RocksDbReplicatedMap(database, name))),
                    new RocksDbAuditLog(database, clock));
        } catch (RuntimeException | Error e) { // a database that stays open could not be opened again
            database.close();
            throw new BrokerStartException("the data in " + config.dataDirectory() + " cannot be read: " + e, e);
        }
    }

    @Override
    public @Nullable String problem() {
        String problem = database.problem();
        return problem == null ? null : "the store cannot commit: " + problem;
    }

    @Override
    public long queuedBytes() {
        return database.queuedBytes();
    }

    @Override
    public long memoryBytes() {
        return database.memoryBytes();
    }

    @Override
    public void close() {
        log.close();
        topics.close();
        store.close();
        subscriptions.close();
        retained.close();
        security.values().forEach(ReplicatedMap::close);
        audit.close();
        database.close();
    }
}
