package io.tributary.cluster.redis;

import static io.tributary.cluster.redis.StateBytes.decimal;

import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.StateCodec;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.ShardStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The shards' state on a Redis Cluster. Every method is one call of one script, which the shard's slot makes atomic;
 * stages complete on a thread of the client library, within the time that a call may take.
 *
 * <p>A stage that failed with {@link RedisStoreException} says nothing about what Redis did: the call may be repeated,
 * and a save point must be until it succeeds or is fenced.
 *
 * <p>Decided in docs/decisions/0005-messages-apart-from-queues.md.
 */
public final class RedisShardStore implements ShardStore {
    /** A page of a queue has no more entries and no more bytes, whatever is asked for. */
    static final int MAX_ENTRIES = 500;

    static final int PAGE_BYTES = 256 << 10;
    private static final int SESSIONS_OF_A_PAGE = 2000;

    private final ShardKeys[] keys;
    private final ScriptRunner scripts;
    private final ReadLimiter reads;
    private final RecordFormat format;
    private final InstantSource clock;
    private final int inlineBytes;

    /**
     * Creates that of the first generation of shards on open connections, which stay open when it is closed. Messages
     * expire by the clock of this machine as it is now.
     *
     * @param shards how many shards the cluster of brokers has, on which all keys depend
     * @param format says in which format records are written
     */
    public RedisShardStore(RedisCluster cluster, int shards, RecordFormat format, RedisRecorder recorder) {
        this(cluster, 0, shards, format, new SteadyClock(), recorder);
    }

    /**
     * The same with another generation of shards, which has keys of its own.
     *
     * @param clock the time by which messages expire
     */
    public RedisShardStore(
            RedisCluster cluster,
            int generation,
            int shards,
            RecordFormat format,
            InstantSource clock,
            RedisRecorder recorder) {
        this.format = format;
        this.clock = clock;
        keys = SlotTags.of(shards).stream()
                .map(tag -> new ShardKeys(tag, generation))
                .toArray(ShardKeys[]::new);
        scripts = new ScriptRunner(cluster, recorder);
        RedisConfig config = cluster.config();
        inlineBytes = config.inlineBytes();
        reads = new ReadLimiter(
                config.concurrentReads(), config.commandTimeout().toNanos(), recorder);
    }

    @Override
    public CompletionStage<Claim> claim(int shard, Claimant owner) {
        byte[][] position = {keys[shard].position()};
        Reused reused = owner.reused();
        byte[][] arguments = {
            decimal(owner.epoch()),
            ShardKeys.utf8(owner.log()),
            decimal(owner.acceptsLog() ? 1 : 0),
            decimal(reused == null ? -1 : reused.from()),
            decimal(reused == null ? -1 : reused.to()),
            decimal(Position.FORMAT)
        };
        return scripts.run(new ScriptCall(RedisScript.CLAIM, shard, position, arguments))
                .thenApply(Position::claim);
    }

    @Override
    public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
        SessionCursor from = cursor == null ? SessionCursor.FIRST : SessionCursor.parse(cursor);
        byte[][] hash = {from.wills() ? keys[shard].wills() : keys[shard].sessions()};
        byte[][] arguments = {
            ShardKeys.utf8(from.position()),
            ShardKeys.utf8(from.process()),
            decimal(SESSIONS_OF_A_PAGE),
            decimal(PAGE_BYTES),
            decimal(from.wills() ? 0 : 1)
        };
        return scripts.run(new ScriptCall(RedisScript.READ_HASH, shard, hash, arguments))
                .thenApply(reply -> sessionPage(from, reply));
    }

    @Override
    public CompletionStage<QueuePage> readQueue(
            int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
        long from = Math.min(fromSequence, StateBytes.MAX_NUMBER);
        ScriptCall call = queueCall(shard, clientId, from, maxEntries, maxBytes, priorities);
        return reads.pass(shard, () -> scripts.run(call)).thenApply(RedisShardStore::queuePage);
    }

    private ScriptCall queueCall(
            int shard, String clientId, long from, int maxEntries, int maxBytes, Priorities priorities) {
        byte[][] queue = {keys[shard].position(), keys[shard].queue(clientId)};
        byte[][] arguments = {
            decimal(from),
            decimal(Math.clamp(maxEntries, 1, MAX_ENTRIES)),
            decimal(Math.min(maxBytes, PAGE_BYTES)),
            decimal(priorities.from()),
            decimal(priorities.to()),
            decimal(MOST_PASSED)
        };
        return new ScriptCall(RedisScript.READ_QUEUE, shard, queue, arguments);
    }

    @Override
    public CompletionStage<ExpiredPage> readExpired(
            int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
        byte[][] queue = {keys[shard].position(), keys[shard].queue(clientId)};
        byte[][] arguments = {
            decimal(Math.clamp(fromSequence, 0, StateBytes.MAX_NUMBER)),
            decimal(Math.min(nowMillis, StateBytes.MAX_NUMBER)),
            decimal(Math.clamp(maxEntries, 1, MAX_ENTRIES))
        };
        ScriptCall call = new ScriptCall(RedisScript.READ_EXPIRED, shard, queue, arguments);
        return reads.pass(shard, () -> scripts.run(call)).thenApply(RedisShardStore::expiredPage);
    }

    private static ExpiredPage expiredPage(List<Object> reply) {
        List<Remnant> expired = new ArrayList<>(reply.size() - 3);
        for (Object head : reply.subList(3, reply.size())) {
            expired.add(StateBytes.remnant((byte[]) head));
        }
        boolean more = (long) reply.get(1) != 0;
        return new ExpiredPage(expired, number(reply.get(2)), more, number(reply.get(0)));
    }

    private static long number(Object decimal) {
        return Long.parseLong(StateBytes.text((byte[]) decimal));
    }

    /** Beside the reads of owners, which may all be waiting for a server that is away. */
    @Override
    public CompletionStage<Long> applied(int shard) {
        return scripts.run(queueCall(shard, "", 0, 1, 1, Priorities.ALL)).thenApply(reply -> number(reply.getFirst()));
    }

    @Override
    public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
        SaveCall save;
        try {
            save = new SaveCall(keys[shard], savePoint, inlineBytes, format.toWrite(), clock.millis());
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(new RedisStoreException("shard " + shard + ": " + e.getMessage(), e));
        }
        return scripts.run(new ScriptCall(RedisScript.SAVE, shard, save.keys(), save.arguments()))
                .thenApply(_ -> null);
    }

    /**
     * Deletes a part of all that there is of a shard of a generation that no owner has, some thousand keys at most.
     *
     * @return whether nothing is left
     */
    public CompletionStage<Boolean> drop(int shard) {
        byte[][] position = {keys[shard].position()};
        return scripts.run(new ScriptCall(RedisScript.DROP, shard, position, new byte[0][]))
                .thenApply(reply -> (long) reply.getFirst() == 1);
    }

    @Override
    public void close() {
        scripts.close();
    }

    private static SessionPage sessionPage(SessionCursor from, List<Object> reply) {
        SessionCursor next = from.next(StateBytes.text((byte[]) reply.get(0)), StateBytes.text((byte[]) reply.get(1)));
        String cursor = next == null ? null : next.toString();
        if (!from.wills()) {
            int count = Math.toIntExact((long) reply.get(2));
            return new SessionPage(StateCodec.decodeSessions((byte[]) reply.get(3), count), List.of(), cursor);
        }
        List<ClientWill> wills = new ArrayList<>();
        for (int i = 3; i < reply.size(); i += 2) {
            wills.add(StateBytes.will((byte[]) reply.get(i), (byte[]) reply.get(i + 1)));
        }
        return new SessionPage(List.of(), wills, cursor);
    }

    /** Each member comes alone, unless its message lies apart: then that follows, or nothing where it is not there. */
    private static QueuePage queuePage(List<Object> reply) {
        List<Entry> entries = new ArrayList<>(reply.size() - 3);
        List<Remnant> remnants = new ArrayList<>();
        for (int i = 3; i < reply.size(); i++) {
            byte[] member = (byte[]) reply.get(i);
            if (!StateBytes.isApart(member)) {
                entries.add(StateBytes.entry(member));
            } else if (reply.get(++i) instanceof byte[] body) {
                entries.add(StateBytes.entry(member, body));
            } else {
                remnants.add(StateBytes.remnant(member));
            }
        }
        boolean more = (long) reply.get(1) != 0;
        return new QueuePage(entries, remnants, number(reply.get(2)), more, number(reply.get(0)));
    }
}
