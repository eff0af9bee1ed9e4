package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static io.tributary.persistence.contract.Waiting.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.contract.RecordingReader;
import io.tributary.persistence.shard.LogRecord;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nothing that was acknowledged is lost when the process is killed with SIGKILL, whatever the way to sync. */
class KilledProcessTest {
    private static final int ROUNDS = 10;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    /** What the processes so far printed: number -> offset. */
    private final Map<Long, Long> appended = new HashMap<>();

    private final Set<Long> mapped = new HashSet<>();
    private long nextNumber;

    @ParameterizedTest
    @EnumSource(StorageSync.class)
    void everythingAcknowledgedIsThereWhenTheProcessIsKilled(StorageSync sync) throws IOException {
        Random random = new Random(sync.name().hashCode());
        for (int round = 0; round < ROUNDS; round++) {
            runAndKill(sync, random.nextInt(1, 8000));
            check();
            nextNumber += 1_000_000;
        }
    }

    private void runAndKill(StorageSync sync, int acknowledgements) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AppendingProcess.class.getName(),
                        folder.toString(),
                        sync.name(),
                        Long.toString(nextNumber))
                .redirectError(new File("/dev/null"))
                .start();
        try (BufferedReader lines = process.inputReader()) {
            for (int i = 0; i < acknowledgements; i++) {
                note(lines.readLine());
            }
            // Not Process.destroyForcibly, which would close the streams with what the process has still said.
            assertThat(process.toHandle().destroyForcibly()).isTrue();
            noteAllButTheLast(lines);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The last line may have been cut off by the kill. */
    private void noteAllButTheLast(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        for (String next = lines.readLine(); next != null; next = lines.readLine()) {
            note(line);
            line = next;
        }
    }

    private void note(String line) {
        String[] words = line.split(" ", 2);
        if (words[1].equals("map")) {
            mapped.add(Long.valueOf(words[0]));
        } else {
            appended.put(Long.valueOf(words[0]), Long.valueOf(words[1]));
        }
    }

    private void check() {
        try (RocksDbDatabase database = TestDatabase.open(folder, AppendingProcess.SHARDS)) {
            Set<Long> keys = ConcurrentHashMap.newKeySet();
            get(new RocksDbReplicatedMap(database, "numbers").follow((key, value) -> keys.add(Long.valueOf(key))));
            assertThat(keys).containsAll(mapped);
            assertThat(readLog(database)).containsAllEntriesOf(appended);
        }
    }

    /** All that is in the log: number -> offset. */
    private static Map<Long, Long> readLog(RocksDbDatabase database) {
        RocksDbShardLog log = new RocksDbShardLog(database, InstantSource.system());
        RecordingReader reader = new RecordingReader();
        log.start(reader);
        Map<Long, Long> found = new HashMap<>();
        for (int shard = 0; shard < AppendingProcess.SHARDS; shard++) {
            int each = shard;
            log.readFrom(shard, 0);
            assertThat(log.append(shard, new byte[0], (offset, failure) -> {})).isTrue();
            until(() -> !reader.batches(each).isEmpty()
                    && reader.batches(each).getLast().getLast().value().length == 0);
            for (LogRecord entry : reader.records(shard)) {
                if (entry.value().length > 0) {
                    found.put(number(entry.value()), entry.offset());
                }
            }
        }
        return found;
    }

    private static long number(byte[] value) {
        return ByteBuffer.wrap(value).getLong();
    }
}
