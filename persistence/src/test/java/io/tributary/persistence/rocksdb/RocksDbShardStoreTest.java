package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.assertFails;
import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.common.event.QueueEntry.Queued;
import io.tributary.common.mqtt.Message;
import io.tributary.common.mqtt.QoS;
import io.tributary.persistence.contract.SavePoints;
import io.tributary.persistence.contract.ShardStoreContract;
import io.tributary.persistence.shard.SavePoint.SequencedEntry;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Entry;
import io.tributary.persistence.shard.ShardStore.Priorities;
import io.tributary.persistence.shard.ShardStore.QueuePage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbShardStoreTest extends ShardStoreContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private RocksDbDatabase database;

    @Override
    protected ShardStore open() {
        closeDatabase();
        database = TestDatabase.open(folder, 4);
        return new RocksDbShardStore(database);
    }

    @Test
    void pagePassesOverSomeMegabytesOfOthers() {
        int megabytes = 20;
        List<SequencedEntry> entries = new ArrayList<>();
        for (int i = 1; i <= megabytes; i++) {
            Message large = SavePoints.message(i).withPayload(new byte[1 << 20]);
            entries.add(new SequencedEntry("a", i, new Queued(large, QoS.AT_LEAST_ONCE, false, List.of(), null)));
        }
        entries.add(new SequencedEntry("a", megabytes + 1, SavePoints.queued(megabytes + 1, 2)));
        try (ShardStore store = new RocksDbShardStore(database)) {
            get(store.save(0, SavePoints.emptySave(1, -1, 1).queued(entries).build()));
            List<Long> ends = new ArrayList<>();
            QueuePage page;
            long from = 1;
            do {
                page = get(store.readQueue(0, "a", from, 10, 1000, new Priorities(1, 3)));
                ends.add(page.upTo());
                from = page.upTo() + 1;
            } while (page.more());
            assertThat(page.entries()).extracting(Entry::sequence).containsExactly(megabytes + 1L);
            assertThat(ends).containsExactly(4L, 8L, 12L, 16L, 20L, 21L);
        }
    }

    @Test
    void queueThatCannotBeReadIsDeletedWithItsSession() throws IOException {
        Random random = new Random(1);
        List<SequencedEntry> entries = new ArrayList<>();
        for (int i = 1; i <= 40; i++) {
            byte[] payload = new byte[2_000];
            random.nextBytes(payload);
            Message message = SavePoints.message(i).withPayload(payload);
            entries.add(new SequencedEntry("a", i, new Queued(message, QoS.AT_LEAST_ONCE, false, List.of(), null)));
        }
        get(open().save(0, SavePoints.emptySave(1, -1, 1).queued(entries).build()));
        open(); // what was in memory goes into a file
        closeDatabase();
        damageLargestFile();
        ShardStore store = open();
        assertFails(store.readQueue(0, "a", 1, 100, 1 << 20, Priorities.ALL), StorageException.class);

        get(store.save(0, SavePoints.emptySave(1, 1, 2).cleared(List.of("a")).build()));

        assertThat(get(store.applied(0))).isEqualTo(2);
    }

    private void damageLargestFile() throws IOException {
        Path largest;
        try (Stream<Path> files = Files.list(folder.resolve("db"))) {
            largest = files.filter(file -> file.toString().endsWith(".sst"))
                    .max(Comparator.comparingLong(file -> file.toFile().length()))
                    .orElseThrow();
        }
        byte[] content = Files.readAllBytes(largest);
        content[content.length / 2] ^= 1;
        Files.write(largest, content);
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }
}
