package io.tributary.persistence.rocksdb;

import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.audit.AuditLog;
import io.tributary.persistence.contract.AuditLogContract;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksDbAuditLogTest extends AuditLogContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private Instant now = Instant.ofEpochSecond(1_000_000_000);
    private long mostBytes = 1 << 20;
    private @Nullable RocksDbDatabase database;

    @Override
    protected AuditLog open() {
        closeDatabase();
        RocksDbDatabase opened = TestDatabase.open(folder, 4);
        database = opened;
        return new RocksDbAuditLog(opened, () -> now, mostBytes);
    }

    @AfterEach
    void closeDatabase() {
        if (database != null) {
            database.close();
        }
    }

    @Test
    void oldEntriesGoWhenTheyAreTooOld() {
        try (AuditLog log = open()) {
            append(log, 3);
            now = now.plus(Duration.ofDays(AuditLog.RETENTION_DAYS + 1));
            append(log, 2);
            List<AuditLog.Entry> left = get(log.read(Long.MAX_VALUE, 100));
            assertThat(left).extracting(AuditLog.Entry::position).containsExactly(4L, 3L);
        }
    }

    @Test
    void oldestEntriesGoWhenAllTakeTooMuch() {
        mostBytes = 200;
        try (AuditLog log = open()) {
            append(log, 50);
            assertThat(get(log.read(Long.MAX_VALUE, 100))).hasSizeBetween(5, 12);
        }
        try (AuditLog log = open()) {
            append(log, 1);
            List<AuditLog.Entry> left = get(log.read(Long.MAX_VALUE, 100));
            assertThat(left).hasSizeBetween(5, 12);
            assertThat(left.getFirst().position()).isEqualTo(50);
        }
    }

    private static void append(AuditLog log, int entries) {
        for (int i = 0; i < entries; i++) {
            @Nullable Void _ = get(log.append(bytes("entry")));
        }
    }
}
