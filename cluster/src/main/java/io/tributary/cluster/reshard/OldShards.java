package io.tributary.cluster.reshard;

import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.ingest.IngestConfig;
import io.tributary.cluster.kafka.ingest.IngestProgress;
import io.tributary.cluster.kafka.layout.ShardsTopic;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.Source;
import io.tributary.common.event.StoredSession;
import io.tributary.common.time.SteadyClock;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The shards as they are before they are changed. Every method blocks. For one thread. */
final class OldShards implements AutoCloseable {
    private final ClusterConfig config;
    private final long base;
    private final RedisShardStore store;
    private final ShardsTopic topic;

    OldShards(ClusterConfig config, RedisCluster redis) {
        this.config = config;
        base = config.kafka().generation().base();
        store = new RedisShardStore(
                redis,
                config.kafka().generation().number(),
                config.shards(),
                RecordFormat.alone(),
                new SteadyClock(),
                RedisRecorder.NONE);
        topic = new ShardsTopic(config.kafka(), config.shards());
    }

    /**
     * What an owner has left to do, and what all that is to be written anew must come after.
     *
     * @param problem what is left, in words; null when nothing is, and the store has all that the logs say
     * @param ofBackEnds whether it is records of back-ends
     * @param ends the offset behind the last record of each shard
     * @param next an offset above all that name a session, a connection or an owner
     * @param ingested the latest record of each partition of back-ends that a shard has, by its number
     */
    record Rest(
            @Nullable String problem, boolean ofBackEnds, List<Long> ends, long next, Map<Integer, Source> ingested) {
        /** One that is none yet. */
        static Rest not(String problem, boolean ofBackEnds) {
            return new Rest(problem, ofBackEnds, List.of(), 0, Map.of());
        }
    }

    ClusterConfig config() {
        return config;
    }

    ShardStore store() {
        return store;
    }

    ShardsTopic topic() {
        return topic;
    }

    int count() {
        return config.shards();
    }

    /** Whether the store of each shard is at the end of its log, but for records that say nothing. */
    boolean isStoreAtEnds() {
        return isStoreAt(topic.ends());
    }

    /** The same of other ends than those of now, an offset of the topic for each shard. */
    boolean isStoreAt(long[] ends) {
        Map<Integer, Long> tails = new HashMap<>();
        for (int shard = 0; shard < ends.length; shard++) {
            long next = Math.max(0, appliedIn(shard) + 1 - base);
            if (next < ends[shard]) {
                tails.put(shard, next);
            }
        }
        if (tails.isEmpty()) {
            return true;
        }
        AtomicBoolean says = new AtomicBoolean();
        topic.read(tails, (_, _) -> says.set(true));
        return !says.get();
    }

    /** Whether the shards are as they were: their logs closed, where they ended then, and the store there, too. */
    boolean isAsAt(Rest rest) {
        return topic.isClosedForWriting() && rest.ends().equals(listOf(topic.ends())) && isStoreAtEnds();
    }

    private static List<Long> listOf(long[] ends) {
        return Arrays.stream(ends).boxed().toList();
    }

    private long appliedIn(int shard) {
        return Answers.of(store.readQueue(shard, "", 0, 1, 1)).applied();
    }

    /** Looks at all of it, which makes older owners void. */
    Rest rest() {
        if (!isStoreAtEnds()) {
            return Rest.not("the logs say what Redis has not got yet", false);
        }
        long[] ends = topic.ends();
        Look look = new Look(listOf(ends));
        for (int shard = 0; shard < ends.length; shard++) {
            long end = ends[shard] + base;
            look.next = Math.max(look.next, end);
            try {
                look.at(Answers.of(store.claim(shard, new Claimant(end))));
            } catch (FencedException e) {
                return Rest.not("the log of shard " + shard + " has lost its end (" + e.getMessage() + ")", false);
            }
            @Nullable String cursor = null;
            do {
                SessionPage page = Answers.of(store.readSessions(shard, cursor));
                page.sessions().forEach(look::at);
                page.wills().forEach(look::at);
                cursor = page.cursor();
            } while (cursor != null);
        }
        return look.rest();
    }

    /** What is seen while all is looked at. */
    private final class Look {
        private long next;
        private final Map<Integer, Source> ingested = new TreeMap<>();
        private long attached;
        private long due;
        private final List<Long> ends;

        private Look(List<Long> ends) {
            this.ends = ends;
        }

        void at(Claim claim) {
            next = Math.max(next, claim.applied() + 1);
            next = Math.max(next, claim.reused() == null ? 0 : claim.reused().to() + 1);
            for (SourcePosition source : claim.sources()) {
                if (source.shard() < Source.FIRST_INGEST) {
                    next = Math.max(next, source.offset() + 1);
                } else {
                    Source found = new Source(source.shard(), source.offset(), source.part());
                    ingested.merge(
                            source.shard(),
                            found,
                            (one, other) -> one.isAfter(other.offset(), other.part()) ? one : other);
                }
            }
        }

        void at(StoredSession session) {
            attached += session.node() == null ? 0 : 1;
            next = Math.max(next, Math.max(session.session(), session.epoch()) + 1);
        }

        void at(ClientWill will) {
            due += will.due() ? 1 : 0;
            next = Math.max(next, will.epoch() + 1);
        }

        Rest rest() {
            if (attached > 0 || due > 0) {
                return Rest.not(
                        "%d sessions have a connection still, %d wills are due".formatted(attached, due), false);
            }
            Map<Integer, Long> latest = new HashMap<>();
            ingested.forEach((number, source) -> latest.put(number, source.offset()));
            IngestConfig ingest = config.ingest();
            List<String> topics = ingest == null ? List.of() : ingest.source().topics();
            String unfinished = IngestProgress.unfinished(config.kafka(), topics, latest);
            return unfinished == null
                    ? new Rest(null, false, ends, next, ingested)
                    : Rest.not("records of " + unfinished + " are with some subscribers and not with others", true);
        }
    }

    @Override
    public void close() {
        store.close();
        topic.close();
    }
}
