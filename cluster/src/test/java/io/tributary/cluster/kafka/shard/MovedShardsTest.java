package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static java.util.Collections.synchronizedList;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaRecorder;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How shards move between the nodes of a cluster. */
class MovedShardsTest {
    private static final int ROUNDS = 5;
    private static final Set<Integer> ALL =
            IntStream.range(0, TestKafka.SHARDS).boxed().collect(Collectors.toSet());

    /** What the nodes have folded, as their store would have it: the offsets of each shard in the order they came. */
    private final Map<Integer, List<Long>> folded = new ConcurrentHashMap<>();

    private final List<String> faults = new CopyOnWriteArrayList<>();

    @Test
    void recordsGoOnWhereTheyAreAskedForWhenShardsMove() throws InterruptedException {
        KafkaConfig config = TestKafka.withTopics(TestKafka.config());
        try (KafkaShardLog first = TestKafka.log(config)) {
            Member here = new Member(first);
            first.start(here);
            until(() -> here.owned.size() == TestKafka.SHARDS);
            List<NumberedAppends> appends = IntStream.range(0, TestKafka.SHARDS)
                    .mapToObj(shard -> new NumberedAppends(first, shard))
                    .toList();
            until(() -> appends.stream().allMatch(each -> each.appended() > 100));
            try (KafkaShardLog second = new KafkaShardLog(
                    config,
                    "there",
                    TestKafka.SHARDS,
                    Duration.ZERO,
                    InstantSource.system(),
                    KafkaRecorder.NONE,
                    _ -> {})) {
                Member there = new Member(second);
                second.start(there);
                for (int round = 0; round < ROUNDS; round++) {
                    move(first, ALL, second, Set.of(0, 3));
                    until(() -> here.owned.equals(Set.of(1, 2)) && there.owned.equals(Set.of(0, 3)));
                    int before = count(3);
                    until(() -> count(3) > before + 100);
                    move(second, Set.of(0, 3), first, ALL);
                    until(() -> here.owned.equals(ALL) && there.owned.isEmpty());
                }
            }
            for (NumberedAppends each : appends) {
                each.finish();
            }
            for (int shard = 0; shard < TestKafka.SHARDS; shard++) {
                checkFolded(shard, appends.get(shard).accepted());
            }
        }
        assertThat(faults).isEmpty();
    }

    /** Has one log have shards once the other one has let go of them. */
    private static void move(KafkaShardLog from, Set<Integer> had, KafkaShardLog to, Set<Integer> gets) {
        Set<Integer> left = new HashSet<>(had);
        left.removeAll(gets);
        CompletableFuture<Boolean> released = new CompletableFuture<>();
        from.assign(left, () -> released.complete(true));
        get(released);
        to.assign(gets, () -> {});
    }

    @Test
    void everyReleaseIsToldWhenAssignmentsOvertakeEachOther() {
        KafkaConfig config = TestKafka.withTopics(TestKafka.config());
        try (KafkaShardLog log = TestKafka.log(config)) {
            Member here = new Member(log);
            log.start(here);
            until(() -> here.owned.equals(ALL));
            AtomicInteger released = new AtomicInteger();
            for (int round = 0; round < 100; round++) {
                log.assign(Set.of(round % TestKafka.SHARDS), released::incrementAndGet);
            }
            until(() -> released.get() == 100 && here.owned.equals(Set.of(99 % TestKafka.SHARDS)));
            assertThat(faults).isEmpty();
        }
    }

    private void checkFolded(int shard, int count) {
        until(() -> count(shard) >= count);
        assertThat(folded.get(shard))
                .isEqualTo(IntStream.range(0, count).mapToObj(Long::valueOf).toList());
    }

    private int count(int shard) {
        return folded.getOrDefault(shard, List.of()).size();
    }

    /** A node that goes on where the store is, and notices when it is given anything else. */
    private final class Member implements ShardLog.Reader {
        private final ShardLog log;
        private final Set<Integer> owned = ConcurrentHashMap.newKeySet();

        private Member(ShardLog log) {
            this.log = log;
        }

        @Override
        public void onAssigned(int shard) {
            log.readFrom(shard, count(shard));
            owned.add(shard);
        }

        @Override
        public void onRevoked(int shard, Runnable released) {
            owned.remove(shard);
            released.run();
        }

        @Override
        public void onWentBack(int shard, long at) {
            faults.add("shard " + shard + ": went back to " + at);
        }

        @Override
        public void onRecords(int shard, long from, List<LogRecord> records) {
            List<Long> before = folded.computeIfAbsent(shard, _ -> synchronizedList(new ArrayList<>()));
            if (!owned.contains(shard) || from != before.size()) {
                faults.add("shard " + shard + ": records from " + from + " instead of " + before.size());
            }
            List<Long> offsets = new ArrayList<>();
            records.forEach(record -> offsets.add(record.offset()));
            before.addAll(offsets);
        }
    }
}
