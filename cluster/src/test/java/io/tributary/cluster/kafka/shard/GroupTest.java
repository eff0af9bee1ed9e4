package io.tributary.cluster.kafka.shard;

import static io.tributary.persistence.contract.Waiting.until;
import static java.util.Collections.synchronizedList;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.cluster.kafka.KafkaConfig;
import io.tributary.cluster.kafka.KafkaConfig.GroupProtocol;
import io.tributary.cluster.kafka.TestKafka;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.ShardLog;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How shards move between the nodes of a cluster. */
class GroupTest {
    private static final Logger LOG = LoggerFactory.getLogger(GroupTest.class);

    /** What the nodes have folded, as their store would have it: the offsets of each shard in the order they came. */
    private final Map<Integer, List<Long>> folded = new ConcurrentHashMap<>();

    private final List<String> faults = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void recordsGoOnWhereTheyAreAskedForWhenShardsMove(GroupProtocol protocol) throws InterruptedException {
        KafkaConfig config = TestKafka.withTopics(config(protocol));
        try (ShardLog first = TestKafka.log(config)) {
            Member here = new Member(first);
            first.start(here);
            until(() -> here.owned.size() == TestKafka.SHARDS);
            List<NumberedAppends> appends = IntStream.range(0, TestKafka.SHARDS)
                    .mapToObj(shard -> new NumberedAppends(first, shard))
                    .toList();
            until(() -> appends.stream().allMatch(each -> each.appended() > 100));
            try (ShardLog second = TestKafka.log(config)) {
                Member there = new Member(second);
                second.start(there);
                until(() -> here.owned.size() == 2 && there.owned.size() == 2);
                int moved = there.owned.iterator().next();
                int before = count(moved);
                until(() -> count(moved) > before + 100);
                second.takePart(false);
                until(() -> here.owned.size() == TestKafka.SHARDS && there.owned.isEmpty());
                second.takePart(true);
                until(() -> here.owned.size() == 2 && there.owned.size() == 2);
            }
            until(() -> here.owned.size() == TestKafka.SHARDS);
            for (NumberedAppends each : appends) {
                each.finish();
            }
            for (int shard = 0; shard < TestKafka.SHARDS; shard++) {
                checkFolded(shard, appends.get(shard).accepted());
            }
        }
        assertThat(faults).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void shardsAreTakenOverWhenAMemberIsKilled(GroupProtocol protocol) throws IOException {
        KafkaConfig config = TestKafka.withTopics(config(protocol));
        Process process = startMember(config, protocol);
        try (BufferedReader lines = process.inputReader();
                ShardLog log = TestKafka.log(config)) {
            for (int assigned = 0; assigned < TestKafka.SHARDS; assigned++) {
                assertThat(lines.readLine()).startsWith("assigned");
            }
            Member here = new Member(log);
            log.start(here);
            until(() -> here.owned.size() == 2);
            long killed = System.nanoTime();
            assertThat(process.toHandle().destroyForcibly()).isTrue();
            until(() -> here.owned.size() == TestKafka.SHARDS);
            LOG.info(
                    "{}: shards of a killed member taken over after {} ms (session timeout 6 s, of the server 5 s)",
                    protocol,
                    (System.nanoTime() - killed) / 1_000_000);
        } finally {
            process.destroyForcibly();
        }
    }

    private static KafkaConfig config(GroupProtocol protocol) {
        return TestKafka.config().withReading(TestKafka.reading(protocol, Duration.ofSeconds(6)));
    }

    private static Process startMember(KafkaConfig config, GroupProtocol protocol) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemberProcess.class.getName(),
                        config.bootstrapServers(),
                        config.topicPrefix(),
                        protocol.name())
                .redirectError(new File("/dev/null"))
                .start();
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
        public void onRevoked(int shard) {
            owned.remove(shard);
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
