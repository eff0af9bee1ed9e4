package io.tributary.broker.deployment;

import io.tributary.persistence.app.AppTopics;
import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.replicated.ReplicatedMap;
import io.tributary.persistence.shard.ShardLog;
import io.tributary.persistence.shard.ShardStore;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The storage of all state that outlives a broker. */
public interface Storage extends AutoCloseable {

    /** The logs of the shards. */
    ShardLog log();

    /** The state of the shards. */
    ShardStore store();

    /** The topics of applications. */
    AppTopics topics();

    /** The subscriptions of persistent sessions. */
    ReplicatedMap subscriptions();

    /** The retained messages. */
    ReplicatedMap retained();

    /** Users, device tokens, rule sets, bans and tenants, each by the name of its map. */
    Map<String, ReplicatedMap> security();

    /** What administrators changed. */
    AuditLog audit();

    /** Why nothing can be written at the moment, in words, or null. */
    @Nullable
    String problem();

    /** How many bytes wait to be written. */
    long queuedBytes();

    /** How many bytes the store has in memory outside the Java heap; 0 where the store is another process. */
    long memoryBytes();

    /** Stops; what was accepted is completed first. Blocks until done. */
    @Override
    void close();
}
