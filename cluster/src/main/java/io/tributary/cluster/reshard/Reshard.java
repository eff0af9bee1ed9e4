package io.tributary.cluster.reshard;

import io.tributary.cluster.ClusterConfig;
import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.KafkaTopics;
import io.tributary.cluster.kafka.TopicNeeds;
import io.tributary.cluster.kafka.WholeTopic;
import io.tributary.cluster.kafka.layout.LayoutEvent.Abandoned;
import io.tributary.cluster.kafka.layout.LayoutEvent.Begun;
import io.tributary.cluster.kafka.layout.LayoutEvent.Switched;
import io.tributary.cluster.kafka.layout.LayoutHistory;
import io.tributary.cluster.kafka.layout.LayoutLog;
import io.tributary.cluster.kafka.layout.ShardLayout;
import io.tributary.cluster.kafka.layout.ShardsTopic;
import io.tributary.cluster.kafka.shard.KafkaShardLog;
import io.tributary.cluster.node.Formats;
import io.tributary.cluster.node.NodeTable;
import io.tributary.cluster.redis.RedisCluster;
import io.tributary.cluster.redis.RedisRecorder;
import io.tributary.cluster.redis.RedisShardStore;
import io.tributary.cluster.reshard.OldShards.Rest;
import io.tributary.common.event.RecordFormat;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Gives a cluster another number of shards while no node runs: has an owner bring the shards to rest, writes all that
 * they hold to another generation of shards beside them, compares the two, and has one record in Kafka say that the
 * other one counts. Before that record nothing of the generation before is changed, after it nothing of that is needed;
 * so a process that is killed at any moment leaves a whole one, and the next call begins anew or tidies up. For one
 * thread, which blocks for minutes where there are many sessions.
 *
 * <p>Decided in docs/decisions/0020-generations-of-shards.md.
 */
public final class Reshard {
    private static final int MOST_TIMES_TO_REST = 20;
    private static final Duration SILENCE = Duration.ofSeconds(2);
    private static final Duration LONGEST_REST = Duration.ofMinutes(15);
    private static final long POLL_MILLIS = 200;

    private final ClusterConfig configured;
    private final KafkaConfig kafka;
    private final int largestPacketBytes;
    private final OwnerNode owner;
    private final Consumer<String> say;
    private final InstantSource clock;

    /** Starts a node that serves no clients. */
    @FunctionalInterface
    public interface OwnerNode {
        /**
         * Starts it with these shards, and returns when it owns all of them; it ends when it is closed.
         *
         * @param joined called once the node is in the node table, each time; throws a {@link ReshardException} when it
         *     is not to go on
         */
        AutoCloseable start(ClusterConfig cluster, Runnable joined);
    }

    /**
     * Creates one.
     *
     * @param configured the configuration of the cluster's nodes
     * @param largestPacketBytes the largest packet of any listener
     * @param say told what is done, in sentences
     */
    public Reshard(
            ClusterConfig configured,
            int largestPacketBytes,
            OwnerNode owner,
            Consumer<String> say,
            InstantSource clock) {
        this.configured = configured;
        this.kafka = configured.kafka();
        this.largestPacketBytes = largestPacketBytes;
        this.owner = owner;
        this.say = say;
        this.clock = clock;
    }

    /**
     * How many shards the cluster has; also where nodes run, which have to stop before it gets another number.
     *
     * @throws ReshardException when it could get none without a command that needs nodes that run, in words for the
     *     operator
     */
    public int shards() {
        int shards = current(LayoutLog.read(kafka)).shards();
        checkThatNothingIsHeld();
        return shards;
    }

    /**
     * Gives the cluster this number of shards. One that has it has all removed that was left of earlier calls.
     *
     * @throws ReshardException when a node runs, or the shards do not come to rest, in words for the operator
     */
    public void to(int shards) {
        LayoutHistory history = LayoutLog.read(kafka);
        ShardLayout current = current(history);
        try (RedisCluster redis = RedisCluster.connect(configured.redis())) {
            if (history.pending() == null && current.shards() == shards) {
                say.accept("the cluster has " + shards + " shards already");
                open(current);
                drop(history.others(), redis);
            } else {
                checkThatNothingIsHeld();
                checkThatNoNodeRuns(current);
                change(history, current, shards, redis);
            }
        }
    }

    /** While the shards were never changed the configuration says their number, and the topics have to agree. */
    private ShardLayout current(LayoutHistory history) {
        ShardLayout current = history.current(configured.shards());
        try (ShardsTopic topic = new ShardsTopic(current.in(kafka), current.shards())) {
            if (!topic.exists()) {
                throw new ReshardException("Kafka has no shards of this cluster: start its nodes first");
            }
        }
        if (history.isEmpty()) {
            int _ = KafkaTopics.ensure(kafka, configured.topicNeeds(largestPacketBytes));
        }
        return current;
    }

    /** Gives up what was begun and not finished; nodes can be started again. */
    public void abandon() {
        LayoutHistory history = LayoutLog.read(kafka);
        LayoutHistory.Pending pending = history.pending();
        ShardLayout current = current(history);
        if (pending == null) {
            say.accept("nothing was begun that is not finished");
            open(current);
            return;
        }
        checkThatNoNodeRuns(current); // the owner of a call that still goes on is one
        try (RedisCluster redis = RedisCluster.connect(configured.redis());
                OldShards old = old(current, redis)) {
            old.topic().openForWriting(atLeastNeeded(current, pending.begun().maxRecordBytes()));
            long _ = LayoutLog.append(kafka, new Abandoned(pending.generation()));
            LayoutHistory after = LayoutLog.read(kafka);
            if (!after.current(configured.shards()).equals(current)) {
                // The other call was quicker: its generation counts.
                throw new ReshardException("another process has changed the shards; nothing was given up");
            }
            drop(after.others().headMap(pending.generation() + 1), redis); // who has begun anew has later ones
            say.accept("given up: the cluster has " + current.shards() + " shards, as before");
        }
    }

    /** The new shards are written in the newest format: a version before could start, and read nothing of them. */
    private void checkThatNothingIsHeld() {
        if (configured.formats() != Formats.HOLD) {
            return;
        }
        int written = NodeTable.newestWritten(WholeTopic.latest(kafka, kafka.mapTopic(NodeTable.MAP)));
        if (written < RecordFormat.NEWEST) {
            throw new ReshardException("the cluster writes format " + written + ", and format " + RecordFormat.NEWEST
                    + " is on hold, so the version before could still be started, which other shards put an end to:"
                    + " call `tributary upgrade finish` first, while nodes run");
        }
    }

    /** A node writes into the node table all the time. */
    private void checkThatNoNodeRuns(ShardLayout current) {
        try (ShardsTopic topic = new ShardsTopic(current.in(kafka), current.shards())) {
            Duration heartbeats = configured.nodes().heartbeat().multipliedBy(4);
            long before = topic.endOfMap(NodeTable.MAP);
            Answers.pause((heartbeats.compareTo(SILENCE) > 0 ? heartbeats : SILENCE).toMillis());
            if (topic.endOfMap(NodeTable.MAP) != before) {
                throw new ReshardException("a node of this cluster runs: stop all nodes first");
            }
        }
    }

    /** One that started just now has said so in the node table before it looked for our record. */
    private void checkThatNoNodeStarted(ShardLayout current, OldShards old, int generation, int maxRecordBytes) {
        try {
            checkThatNoNodeRuns(current);
        } catch (ReshardException e) {
            old.topic().openForWriting(maxRecordBytes); // a call before may have closed it
            long _ = LayoutLog.append(kafka, new Abandoned(generation));
            throw e;
        }
    }

    /** Has the shards that count take records, where two calls at a time have left them closed. */
    private void open(ShardLayout current) {
        try (ShardsTopic topic = new ShardsTopic(current.in(kafka), current.shards())) {
            topic.openForWriting(atLeastNeeded(current, 0));
        }
    }

    /** A topic that was closed has a limit that is none. */
    private int atLeastNeeded(ShardLayout layout, int maxRecordBytes) {
        return Math.max(maxRecordBytes, TopicNeeds.largestRecordBytes(layout.shards(), largestPacketBytes));
    }

    /** Somebody may have given up what this call does, and started the nodes. */
    private void checkThatIsPending(int generation) {
        checkThatIsPending(LayoutLog.read(kafka), generation);
    }

    private static void checkThatIsPending(LayoutHistory history, int generation) {
        if (!history.isPending(generation)) {
            throw new ReshardException("another process has given this up, or has begun to change the shards, too");
        }
    }

    private void change(LayoutHistory history, ShardLayout current, int shards, RedisCluster redis) {
        try (OldShards old = old(current, redis)) {
            int maxRecordBytes = atLeastNeeded(
                    current,
                    history.pending() != null && old.topic().isClosedForWriting()
                            ? history.pending().begun().maxRecordBytes()
                            : old.topic().maxRecordBytes());
            int generation = begin(current, shards, maxRecordBytes);
            checkThatNoNodeStarted(current, old, generation, maxRecordBytes);
            drop(history.others(), redis);
            Rest rest = bringToRest(old, generation, maxRecordBytes);
            ShardLayout next = new ShardLayout(generation, shards, rest.next());
            copy(old, next, rest, maxRecordBytes, redis);
            if (!old.isAsAt(rest)) { // Redis may have gone back in time, or another call has gone on with them
                throw new ReshardException("the old shards have changed meanwhile; call this again");
            }
            switchTo(next);
            drop(LayoutLog.read(kafka).others().headMap(generation), redis); // who has begun anew has later ones
        }
        say.accept("done: set tributary.cluster.shards=" + shards + " on all nodes, and start them");
    }

    /** Says that another generation is begun, and gives its number. */
    private int begin(ShardLayout current, int shards, int maxRecordBytes) {
        long offset = LayoutLog.append(kafka, new Begun(current.shards(), shards, maxRecordBytes));
        int generation = Math.toIntExact(offset + 1);
        LayoutHistory history = LayoutLog.read(kafka);
        if (!history.isPending(generation)
                || !history.current(configured.shards()).equals(current)) {
            long _ = LayoutLog.append(kafka, new Abandoned(generation)); // or no node could start
            throw new ReshardException("another process changes the shards; call this again when it has ended");
        }
        say.accept("from %d shards (generation %d) to %d (generation %d)"
                .formatted(current.shards(), current.generation(), shards, generation));
        return generation;
    }

    private OldShards old(ShardLayout layout, RedisCluster redis) {
        return new OldShards(configured.at(layout), redis);
    }

    /**
     * Has an owner do what is left to do until nothing is, and closes the logs. It is a node of the cluster, so that a
     * node that was paused all the while learns that it is dead, though it may have left nothing to do.
     */
    private Rest bringToRest(OldShards old, int generation, int maxRecordBytes) {
        boolean withBackEnds = false;
        for (int times = 1; true; times++) {
            say.accept("an owner brings the shards to rest");
            checkThatIsPending(generation);
            old.topic().openForWriting(maxRecordBytes);
            runOwner(old, generation, withBackEnds);
            checkThatIsPending(generation);
            old.topic().closeForWriting();
            checkThatMayBeClosed(generation);
            Rest rest = old.rest();
            if (rest.problem() == null) {
                say.accept("the shards are at rest, and their logs closed");
                return rest;
            }
            if (times == MOST_TIMES_TO_REST) {
                throw new ReshardException("the shards do not come to rest: " + rest.problem());
            }
            say.accept("not yet: " + rest.problem());
            withBackEnds = withBackEnds || rest.ofBackEnds();
        }
    }

    /** What was given up just before it was closed has nodes by now. */
    private void checkThatMayBeClosed(int generation) {
        LayoutHistory history = LayoutLog.read(kafka);
        if (history.pending() == null) {
            open(history.current(configured.shards()));
        }
        checkThatIsPending(history, generation);
    }

    private void runOwner(OldShards old, int generation, boolean withBackEnds) {
        ClusterConfig config = withBackEnds ? old.config() : old.config().withoutIngest();
        try (AutoCloseable _ = owner.start(config, () -> checkThatIsPending(generation))) {
            // By then it has declared the nodes dead that are not there, and ended their connections.
            Answers.pause(config.nodes().silence().plus(config.nodes().late()).toMillis());
            long[] ends = old.topic().ends(); // records come later, too: of sessions that expire, of back-ends
            long begin = System.nanoTime();
            while (!old.isStoreAt(ends)) {
                if (System.nanoTime() - begin > LONGEST_REST.toNanos()) {
                    throw new ReshardException("the shards do not come to rest within " + LONGEST_REST.toMinutes()
                            + " minutes; the log says what their owner does");
                }
                Answers.pause(POLL_MILLIS);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ReshardException("the owner of the shards did not end in order: " + e, e);
        }
    }

    private void copy(OldShards old, ShardLayout next, Rest rest, int maxRecordBytes, RedisCluster redis) {
        KafkaConfig to = next.in(kafka);
        try (ShardsTopic topic = new ShardsTopic(to, next.shards());
                RedisShardStore store = new RedisShardStore(
                        redis, next.generation(), next.shards(), RecordFormat.alone(), clock, RedisRecorder.NONE)) {
            TopicNeeds needs = configured.at(next).topicNeeds(largestPacketBytes);
            topic.widen(needs);
            int largestRecordBytes = topic.create(needs, maxRecordBytes);
            Inventory.Sum written;
            Copying copying;
            try (ShardLog log = open(to, next, largestRecordBytes)) {
                copying =
                        new Copying(old.store(), store, new NewLog(log), topic.identity(), next.shards(), next.base());
                for (int shard = 0; shard < old.count(); shard++) {
                    copying.copy(shard);
                }
                copying.finish(rest.ingested().values(), clock);
                written = copying.written();
            }
            say.accept("written: " + written);
            if (copying.lost() > 0) {
                say.accept(copying.lost()
                        + " messages had expired, or Redis had lost them: their queues do not count them");
            }
            compare("Redis", written, copying.stored());
            compare(topic, next, written);
        }
    }

    private ShardLog open(KafkaConfig to, ShardLayout next, int largestRecordBytes) {
        KafkaConfig wide = to.withAppends(to.appends().withMaxRecordBytesAtLeast(largestRecordBytes));
        return new KafkaShardLog(
                wide, "reshard", next.shards(), configured.retention(), clock, KafkaRecorder.NONE, failure -> {});
    }

    private static void compare(String where, Inventory.Sum written, Inventory.Sum found) {
        if (!written.equals(found)) {
            throw new ReshardException("what was written is not what " + where + " has: " + written + ", and " + found
                    + "; nothing was changed, call this again");
        }
    }

    private void compare(ShardsTopic topic, ShardLayout next, Inventory.Sum written) {
        LoggedSnapshot snapshot = new LoggedSnapshot();
        topic.read(
                IntStream.range(0, next.shards()).boxed().collect(Collectors.toMap(shard -> shard, _ -> 0L)), snapshot);
        compare("Kafka", written, snapshot.sum());
        if (snapshot.completeShards() != next.shards()) {
            throw new ReshardException("only " + snapshot.completeShards() + " of " + next.shards()
                    + " logs are whole; nothing was changed, call this again");
        }
        say.accept("compared: Redis and Kafka have the same");
    }

    private void switchTo(ShardLayout next) {
        if (LayoutLog.read(kafka).isPending(next.generation())) {
            long _ = LayoutLog.append(kafka, new Switched(next.generation(), next.base()));
        }
        if (!LayoutLog.read(kafka).current(0).equals(next)) {
            throw new ReshardException(
                    "another process has begun to change the shards, and this one has changed nothing");
        }
        say.accept("switched: the cluster has " + next.shards() + " shards");
    }

    /** Removes what generations have that do not count. */
    private void drop(Map<Integer, Integer> generations, RedisCluster redis) {
        generations.forEach((generation, shards) -> {
            try (ShardsTopic topic = new ShardsTopic(new ShardLayout(generation, shards, 0).in(kafka), shards);
                    RedisShardStore store = new RedisShardStore(
                            redis, generation, shards, RecordFormat.alone(), clock, RedisRecorder.NONE)) {
                for (int shard = 0; shard < shards; shard++) {
                    while (!Answers.of(store.drop(shard))) {
                        // some keys a call, so that Redis does other things in between
                    }
                }
                topic.delete();
            }
        });
    }
}
