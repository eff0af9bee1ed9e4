package io.tributary.cluster.redis;

import static io.tributary.persistence.contract.SavePoints.emptySave;
import static io.tributary.persistence.contract.SavePoints.message;
import static io.tributary.persistence.contract.SavePoints.queued;
import static io.tributary.persistence.contract.SavePoints.session;
import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.event.RecordFormat;
import io.tributary.common.event.SentUpTo;
import io.tributary.common.event.StoredSession;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.localcluster.LocalRedis;
import io.tributary.persistence.contract.SavePoints;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.SequenceKey;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.Priorities;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of messages that lie apart from the queues that they are in. */
class MessagesApartTest {
    private static final int SHARD = 2;
    private static final long OWNER = 10;
    private static final String PREFIX = "tributary:{" + SlotTags.of(4).get(SHARD) + "}:";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static LocalRedis redis;

    @SuppressWarnings("NullAway.Init")
    private static RedisCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private RedisShardStore store;

    private final long soon = System.currentTimeMillis() + 3_600_000;
    private long applied = -1;

    @BeforeAll
    static void connect() {
        redis = LocalRedis.in(folder).start();
        cluster = RedisCluster.connect(TestRedis.config(redis).withInlineBytes(0));
    }

    @AfterAll
    static void disconnect() {
        cluster.close();
        redis.close();
    }

    @BeforeEach
    void openStore() {
        TestRedis.clear(cluster);
        store = new RedisShardStore(cluster, 4, RecordFormat.alone(), RedisRecorder.NONE);
        get(store.claim(SHARD, new Claimant(OWNER)));
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void messageIsThereOnceForAllItsQueuesUntilTheLastIsDoneWithIt() {
        Queued shared = queued(1);
        save(IntStream.range(0, 100)
                .mapToObj(i -> new SequencedEntry("c" + i, 1, shared))
                .toList());
        assertThat(messages()).hasSize(1);
        assertThat(references()).containsExactly(100L);
        assertThat(queueOf("c7").entries()).containsExactly(new Entry(1, shared));

        remove(IntStream.range(0, 99).mapToObj(i -> new SequenceKey("c" + i, 1)).toList());
        assertThat(references()).containsExactly(1L);
        assertThat(queueOf("c99").entries()).containsExactly(new Entry(1, shared));
        assertThat(queueOf("c7").entries()).isEmpty();

        remove(List.of(new SequenceKey("c99", 1)));
        assertNothingIsLeft();
    }

    @Test
    void equalMessagesAreOneHoweverTheyCome() {
        save(List.of(new SequencedEntry("a", 1, queued(1)), new SequencedEntry("b", 1, queued(1))));
        save(List.of(new SequencedEntry("a", 2, queued(1)), new SequencedEntry("a", 3, queued(3))));
        assertThat(messages()).hasSize(2);
        assertThat(references()).containsExactlyInAnyOrder(3L, 1L);
        SavePoints both = next().removed(List.of(new SequenceKey("a", 1), new SequenceKey("b", 1)));
        save(both.queued(List.of(new SequencedEntry("c", 1, queued(1))))); // some go and one comes at once
        assertThat(references()).containsExactlyInAnyOrder(2L, 1L);
        remove(List.of(new SequenceKey("a", 2), new SequenceKey("c", 1), new SequenceKey("a", 3)));
        assertNothingIsLeft();
    }

    @Test
    void nothingIsCountedTwiceOrForAnOldOwner() {
        SavePoint first = emptySave(OWNER, -1, 1)
                .queued(List.of(new SequencedEntry("a", 1, queued(1)), new SequencedEntry("b", 1, queued(1))))
                .build();
        get(store.save(SHARD, first));
        get(store.save(SHARD, first));
        assertThat(references()).containsExactly(2L);
        SavePoint second =
                emptySave(OWNER, 1, 2).removed(List.of(new SequenceKey("a", 1))).build();
        get(store.save(SHARD, second));
        get(store.save(SHARD, second));
        assertThat(references()).containsExactly(1L);
        get(store.claim(SHARD, new Claimant(OWNER + 1)));
        SavePoint late = emptySave(OWNER, 2, 3)
                .removed(List.of(new SequenceKey("b", 1)))
                .queued(List.of(new SequencedEntry("c", 1, queued(1))))
                .build();
        assertFails(store.save(SHARD, late), FencedException.class);
        assertThat(references()).containsExactly(1L);
        assertThat(messages()).hasSize(1);
    }

    @Test
    void entryThatIsReplacedAndRemovedInOneSavePointCountsOnce() {
        save(List.of(
                new SequencedEntry("a", 1, queued(1)),
                new SequencedEntry("a", 2, queued(2)),
                new SequencedEntry("b", 1, queued(1))));
        SequencedEntry owed = new SequencedEntry("a", 1, new QueueEntry.Released());
        save(next().removed(List.of(new SequenceKey("a", 1))).queued(List.of(owed)));
        assertThat(references()).containsExactlyInAnyOrder(1L, 1L);
        assertThat(queueOf("a").entries()).containsExactly(new Entry(1, owed.entry()), new Entry(2, queued(2)));
        assertThat(queueOf("b").entries()).containsExactly(new Entry(1, queued(1)));
        save(next().queued(List.of(new SequencedEntry("b", 1, new QueueEntry.Released()))));
        assertThat(messages()).hasSize(1);
    }

    @Test
    void longQueueGoesAtOnceAndItsMessagesLittleByLittle() {
        List<SequencedEntry> entries = new ArrayList<>();
        LongStream.rangeClosed(1, 2500).forEach(i -> entries.add(new SequencedEntry("a", i, queued(i))));
        entries.add(new SequencedEntry("b", 1, queued(2500)));
        save(entries);
        Queued after = queued(9999);
        save(next().cleared(List.of("a")).queued(List.of(new SequencedEntry("a", 1, after))));
        assertThat(queueOf("a").entries()).containsExactly(new Entry(1, after));
        assertThat(messages()).hasSize(2501);
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            save(next());
            left.add(messages().size());
        }
        assertThat(left).isSortedAccordingTo(Collections.reverseOrder()).first().isEqualTo(1501);
        assertThat(left).last().isEqualTo(2);
        assertThat(keys("gone*")).isEmpty();
        assertThat(queueOf("b").entries()).containsExactly(new Entry(1, queued(2500)));
        remove(List.of(new SequenceKey("a", 1), new SequenceKey("b", 1)));
        assertNothingIsLeft();
    }

    @Test
    void queuesOfSeveralSessionsThatEndTogetherAreFreed() {
        save(List.of(
                new SequencedEntry("a", 1, queued(1)),
                new SequencedEntry("b", 1, queued(1)),
                new SequencedEntry("c", 1, queued(2))));
        save(next().cleared(List.of("a", "b", "c", "nobody")));
        assertThat(messages()).hasSize(2);
        save(next());
        assertNothingIsLeft();
    }

    @Test
    void asMuchIsFreedAsComesHoweverManySessionsEnd() {
        for (int round = 0; round < 3; round++) {
            save(next().cleared(round == 0 ? List.of() : clientsOf(round - 1))
                    .queued(clientsOf(round).stream()
                            .map(client -> new SequencedEntry(client, 1, queued(Long.parseLong(client))))
                            .toList()));
            assertThat(messages()).hasSizeLessThanOrEqualTo(2 * 1500);
        }
        save(next().cleared(clientsOf(2)));
        for (int i = 0; i < 3; i++) {
            save(next());
        }
        assertNothingIsLeft();
    }

    @Test
    void offsetsThatComeAgainLoseNoQueueThatIsGone() {
        List<SequencedEntry> entries = new ArrayList<>();
        LongStream.rangeClosed(1, 2500).forEach(i -> entries.add(new SequencedEntry("a", i, queued(i))));
        entries.add(new SequencedEntry("b", 1, queued(0)));
        save(entries);
        save(next().cleared(List.of("a")));
        applied--;
        commands().hset(bytes(PREFIX + "shard"), bytes("applied"), bytes(Long.toString(applied)));
        save(next().cleared(List.of("b")));
        for (int i = 0; i < 3; i++) {
            save(next());
        }
        assertNothingIsLeft();
    }

    @Test
    void whatComesStaysThoughCountsAreLost() {
        save(List.of(new SequencedEntry("a", 1, queued(1)), new SequencedEntry("b", 1, queued(1))));
        delete(PREFIX + "references");
        save(next().removed(List.of(new SequenceKey("a", 1))).queued(List.of(new SequencedEntry("c", 1, queued(1)))));
        assertThat(references()).containsExactly(1L);
        assertThat(queueOf("c").entries()).containsExactly(new Entry(1, queued(1)));
        remove(List.of(new SequenceKey("c", 1)));
        assertThat(messages()).isEmpty();
    }

    @Test
    void redisLetsAMessageGoByItselfUnlessItMayBeInFlight() {
        Message expiring = message(1).withExpiry(soon);
        save(next().sessions(List.of(away("a", 0), away("b", 1)))
                .queued(List.of(new SequencedEntry("a", 1, of(expiring)))));
        assertThat(timeToLive()).isBetween(Bodies.SLACK_MILLIS, 3_600_000 + Bodies.SLACK_MILLIS);
        save(next().sessions(List.of(away("b", 1))).queued(List.of(new SequencedEntry("b", 1, of(expiring)))));
        assertThat(timeToLive()).as("may have been sent to b").isEqualTo(-1);
    }

    /** The clock of a server of Redis is wrong, or that of the whole cluster. */
    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, 86_400_000})
    void messageStaysForTheTimeThatItIsValidWhateverTheClockOfRedisSays(long clusterIsAheadMillis) {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(clusterIsAheadMillis));
        try (RedisShardStore other =
                new RedisShardStore(cluster, 0, 4, RecordFormat.alone(), clock, RedisRecorder.NONE)) {
            Message expiring = message(1).withExpiry(clock.millis() + 3_600_000);
            get(other.save(
                    SHARD,
                    next().sessions(List.of(away("a", 0)))
                            .queued(List.of(new SequencedEntry("a", 1, of(expiring))))
                            .build()));
        }
        assertThat(timeToLive()).isBetween(Bodies.SLACK_MILLIS, 3_600_000 + Bodies.SLACK_MILLIS);
    }

    @Test
    void messageOfAnAttachedSessionAndOneThatWasReadStay() {
        save(next().sessions(List.of(session("a", 1)))
                .queued(List.of(new SequencedEntry("a", 1, of(message(1).withExpiry(soon))))));
        assertThat(timeToLive()).isEqualTo(-1);
        remove(List.of(new SequenceKey("a", 1)));
        Queued other = of(message(2).withExpiry(soon));
        save(next().sessions(List.of(away("a", 1))).queued(List.of(new SequencedEntry("a", 2, other))));
        assertThat(timeToLive()).isPositive();
        assertThat(queueOf("a").entries()).containsExactly(new Entry(2, other));
        assertThat(timeToLive()).as("may be handed to a connection").isEqualTo(-1);
    }

    @Test
    void messageThatIsNotThereLeavesARemnantAndTheRestOfTheQueueComes() {
        Queued lost = of(message(2).withExpiry(soon).withPriority(2));
        save(List.of(
                new SequencedEntry("a", 1, queued(1)),
                new SequencedEntry("a", 2, lost),
                new SequencedEntry("a", 3, queued(3)),
                new SequencedEntry("b", 1, lost)));
        messages().stream()
                .filter(key -> text(commands().get(bytes(key))).contains("00000002"))
                .forEach(MessagesApartTest::delete);
        QueuePage page = queueOf("a");
        assertThat(page.entries()).containsExactly(new Entry(1, queued(1)), new Entry(3, queued(3)));
        assertThat(page.remnants()).containsExactly(new Remnant(2, lost.sizeBytes(), soon, 2));
        page = get(store.readQueue(SHARD, "a", 0, 2, 1 << 20));
        assertThat(page.more()).isTrue();
        assertThat(page.upTo()).isEqualTo(2);

        save(List.of(new SequencedEntry("c", 1, lost))); // the same message comes again
        assertThat(queueOf("b").entries()).containsExactly(new Entry(1, lost));
        remove(List.of(new SequenceKey("a", 2), new SequenceKey("b", 1)));
        assertThat(queueOf("c").entries()).containsExactly(new Entry(1, lost));
        remove(List.of(new SequenceKey("a", 1), new SequenceKey("a", 3), new SequenceKey("c", 1)));
        assertNothingIsLeft();
    }

    @Test
    void remnantsOfMessagesWithoutExpirySayThatTheyHaveNone() {
        save(List.of(new SequencedEntry("a", 1, queued(1))));
        messages().forEach(MessagesApartTest::delete);
        assertThat(queueOf("a"))
                .isEqualTo(new QueuePage(
                        List.of(), List.of(new Remnant(1, queued(1).sizeBytes(), Message.NEVER)), 1, false, applied));
        remove(List.of(new SequenceKey("a", 1)));
        assertNothingIsLeft();
    }

    @Test
    void messageOfAHigherPriorityMayBeInFlightWhereOthersAreNot() {
        StoredSession overtaken = away("a", SentUpTo.of(1, 1, 5));
        save(next().sessions(List.of(overtaken))
                .queued(List.of(new SequencedEntry("a", 4, of(message(1).withExpiry(soon))))));
        assertThat(timeToLive()).isPositive();
        remove(List.of(new SequenceKey("a", 4)));
        save(next().sessions(List.of(overtaken))
                .queued(List.of(new SequencedEntry(
                        "a", 5, of(message(1).withExpiry(soon).withPriority(2))))));
        assertThat(timeToLive()).isEqualTo(-1);
    }

    @Test
    void messageThatIsPassedOverIsNotRead() {
        Queued expiring = of(message(1).withExpiry(soon).withPriority(1));
        save(next().sessions(List.of(away("a", 0))).queued(List.of(new SequencedEntry("a", 1, expiring))));
        QueuePage page = get(store.readQueue(SHARD, "a", 0, 100, 1 << 20, new Priorities(2, 3)));
        assertThat(page).isEqualTo(new QueuePage(List.of(), List.of(), 1, false, applied));
        assertThat(timeToLive()).isPositive();
        page = get(store.readQueue(SHARD, "a", 0, 100, 1 << 20, new Priorities(1, 1)));
        assertThat(page.entries()).containsExactly(new Entry(1, expiring));
        assertThat(timeToLive()).isEqualTo(-1);
    }

    @Test
    void messagesThatDifferInPriorityAreTwoAndEachIsFreedWithItsLastReference() {
        Queued later = of(message(1).withExpiry(soon));
        Queued sooner = of(message(1).withExpiry(soon).withPriority(3));
        save(List.of(
                new SequencedEntry("a", 1, later),
                new SequencedEntry("a", 2, sooner),
                new SequencedEntry("b", 1, sooner),
                new SequencedEntry("b", 2, queued(2, 1))));
        assertThat(messages()).hasSize(3);
        assertThat(references()).containsExactlyInAnyOrder(1L, 2L, 1L);
        remove(List.of(new SequenceKey("a", 2)));
        assertThat(references()).containsExactlyInAnyOrder(1L, 1L, 1L);
        assertThat(queueOf("a").entries()).containsExactly(new Entry(1, later));
        save(next().queued(List.of(new SequencedEntry("b", 1, new QueueEntry.Released()))));
        assertThat(messages()).hasSize(2);
        save(next().cleared(List.of("b")).removed(List.of(new SequenceKey("a", 1))));
        save(next());
        assertNothingIsLeft();
    }

    /** A member's kind, of which the priority is a part, says what is a reference. */
    @Test
    void messageOfAPriorityThatLiesInTheQueueIsNoReference() {
        int size = queued(1).sizeBytes();
        try (RedisCluster other = RedisCluster.connect(TestRedis.config(redis).withInlineBytes(2 * size));
                RedisShardStore inline = new RedisShardStore(other, 4, RecordFormat.alone(), RedisRecorder.NONE)) {
            Queued shared = queued(1, 2);
            get(inline.save(
                    SHARD,
                    next().queued(List.of(
                                    new SequencedEntry("a", 1, shared),
                                    new SequencedEntry("a", 2, queued(2, 3)),
                                    new SequencedEntry("a", 3, queued(3, 1)),
                                    new SequencedEntry("b", 1, shared)))
                            .build()));
            assertThat(messages()).hasSize(1);
            assertThat(queueOf("a").entries())
                    .containsExactly(new Entry(1, shared), new Entry(2, queued(2, 3)), new Entry(3, queued(3, 1)));
            remove(List.of(new SequenceKey("a", 2)));
            save(next().queued(List.of(new SequencedEntry("a", 3, new QueueEntry.Released()))));
            assertThat(references()).containsExactly(2L);
            assertThat(commands().zscore(bytes(PREFIX + "queue:a"), bytes("#"))).isEqualTo(-1);
            remove(List.of(new SequenceKey("a", 1), new SequenceKey("a", 3), new SequenceKey("b", 1)));
            assertNothingIsLeft();
        }
    }

    @Test
    void fullRedisGivesMessagesAndLetsThemGo() {
        Queued expiring = of(message(1).withExpiry(soon));
        save(next().sessions(List.of(away("a", 0))).queued(List.of(new SequencedEntry("a", 1, expiring))));
        commands().upstream().commands().configSet("maxmemory", "1");
        try {
            assertThat(queueOf("a").entries()).containsExactly(new Entry(1, expiring));
            SavePoint adding = emptySave(OWNER, applied, applied + 1)
                    .queued(List.of(new SequencedEntry("b", 1, queued(1))))
                    .build();
            assertFails(store.save(SHARD, adding), RedisStoreException.class);
            save(next().removed(List.of(new SequenceKey("a", 1))));
        } finally {
            commands().upstream().commands().configSet("maxmemory", "0");
        }
        assertNothingIsLeft();
    }

    @Test
    void smallMessagesLieInTheQueueUntilTheyHaveManyCopies() {
        RedisConfig config =
                TestRedis.config(redis).withInlineBytes(10 * queued(1).sizeBytes());
        try (RedisCluster other = RedisCluster.connect(config);
                RedisShardStore inline = new RedisShardStore(other, 4, RecordFormat.alone(), RedisRecorder.NONE)) {
            for (int copies = 9; copies <= 10; copies++) {
                Queued shared = queued(copies);
                List<SequencedEntry> entries = IntStream.range(0, copies)
                        .mapToObj(i ->
                                new SequencedEntry("c" + i, shared.message().payload()[7], shared))
                        .toList();
                get(inline.save(SHARD, next().queued(entries).build()));
                assertThat(messages()).hasSize(copies == 9 ? 0 : 1);
            }
            assertThat(queueOf("c0").entries()).hasSize(2);
        }
    }

    @Test
    void shardIsDroppedAsAWholeAndWithItNoOtherGeneration() {
        RedisShardStore later =
                new RedisShardStore(cluster, 7, 4, RecordFormat.alone(), Clock.systemUTC(), RedisRecorder.NONE);
        get(later.claim(SHARD, new Claimant(OWNER)));
        List<String> clients = IntStream.range(0, 700).mapToObj(i -> "c" + i).toList();
        save(next().sessions(clients.stream().map(client -> session(client, 1)).toList())
                .queued(clients.stream()
                        .flatMap(client -> Stream.of(
                                new SequencedEntry(client, 1, queued(1)),
                                new SequencedEntry(client, 2, queued(2 + clients.indexOf(client)))))
                        .toList())
                .wills(List.of(SavePoints.will("c0", 1))));
        save(next().cleared(clients.subList(0, 600))); // more than one save point frees
        int calls = 1;
        while (!get(store.drop(SHARD))) {
            calls++;
        }
        assertThat(calls).isGreaterThan(1);
        assertThat(keys("*")).isEmpty();
        assertThat(get(store.drop(SHARD))).isTrue();
        assertThat(commands().keys("tributary:7:*")).hasSize(1);
        later.close();
    }

    @Test
    void stateInAnotherLayoutIsRefused() {
        commands().hdel(bytes(PREFIX + "shard"), bytes("layout"));
        assertThat(catchThrowable(() -> get(store.claim(SHARD, new Claimant(OWNER)))))
                .hasRootCauseMessage("shard 2: its state in Redis has layout 1, and this version has layout 2");
        commands().hset(bytes(PREFIX + "shard"), bytes("layout"), bytes("3"));
        assertThat(catchThrowable(() -> get(store.claim(SHARD, new Claimant(OWNER)))))
                .hasRootCauseMessage("shard 2: its state in Redis has layout 3, and this version has layout 2");
        commands().del(bytes(PREFIX + "shard"));
        get(store.save(SHARD, emptySave(OWNER, -1, 1).build())); // Redis was emptied behind the owner
        get(store.claim(SHARD, new Claimant(OWNER)));
    }

    private static List<String> clientsOf(int round) {
        return IntStream.range(1500 * round, 1500 * (round + 1))
                .mapToObj(Integer::toString)
                .toList();
    }

    private static Queued of(Message message) {
        return new Queued(message, QoS.AT_LEAST_ONCE, true, List.of(7), null);
    }

    /** A session without a connection. */
    private static StoredSession away(String clientId, long resendUpTo) {
        return away(clientId, SentUpTo.all(resendUpTo));
    }

    private static StoredSession away(String clientId, SentUpTo resendUpTo) {
        StoredSession there = session(clientId, 1);
        return new StoredSession(
                clientId,
                there.session(),
                there.epoch(),
                null,
                there.connection(),
                there.sessionExpirySeconds(),
                there.receiveMaximum(),
                there.detachedAtMillis(),
                there.willDueAtMillis(),
                there.lastSequence(),
                resendUpTo,
                there.queuedMessages(),
                there.queuedBytes(),
                there.groupUpTo(),
                there.priorityUpTo(),
                there.leftUpTo(),
                there.topic(),
                there.inboundPacketIds(),
                there.acceptedEpoch(),
                there.principal());
    }

    private SavePoints next() {
        return emptySave(OWNER, applied, ++applied);
    }

    private void save(SavePoints savePoint) {
        get(store.save(SHARD, savePoint.build()));
    }

    private void save(List<SequencedEntry> queued) {
        save(next().queued(queued));
    }

    private void remove(List<SequenceKey> keys) {
        save(next().removed(keys));
    }

    private QueuePage queueOf(String clientId) {
        return get(store.readQueue(SHARD, clientId, 0, 100, 1 << 20));
    }

    private static long timeToLive() {
        assertThat(messages()).hasSize(1);
        return commands().pttl(bytes(messages().getFirst()));
    }

    private static void assertNothingIsLeft() {
        assertThat(keys("queue:*")).isEmpty();
        assertThat(messages()).isEmpty();
        assertThat(keys("references")).isEmpty();
        assertThat(keys("gone*")).isEmpty();
    }

    private static List<String> messages() {
        return keys("msg:*");
    }

    private static List<Long> references() {
        return commands().hvals(bytes(PREFIX + "references")).stream()
                .map(count -> Long.parseLong(text(count)))
                .toList();
    }

    private static List<String> keys(String pattern) {
        return commands().keys(PREFIX + pattern).stream()
                .map(MessagesApartTest::text)
                .toList();
    }

    private static void delete(String key) {
        assertThat(commands().del(bytes(key))).isEqualTo(1);
    }

    private static RedisAdvancedClusterCommands<byte[], byte[]> commands() {
        return cluster.connection().sync();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}
