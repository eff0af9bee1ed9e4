package io.tributary.persistence.contract;

import static io.tributary.persistence.contract.Waiting.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tributary.persistence.audit.AuditLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every audit log does. */
public abstract class AuditLogContract {

    /** Opens the log of the test, each time the same. */
    protected abstract AuditLog open();

    @Test
    void entriesAreReadNewestFirstWhenAPageIsAskedFor() {
        try (AuditLog log = open()) {
            assertThat(get(log.read(Long.MAX_VALUE, 10))).isEmpty();
            for (int i = 0; i < 25; i++) {
                @Nullable Void _ = get(log.append(bytes("entry " + i)));
            }
            List<String> seen = new ArrayList<>();
            long before = Long.MAX_VALUE;
            List<AuditLog.Entry> page = get(log.read(before, 10));
            while (!page.isEmpty()) {
                assertThat(page).hasSizeLessThanOrEqualTo(10);
                page.forEach(entry -> seen.add(text(entry)));
                before = page.getLast().position();
                page = get(log.read(before, 10));
            }
            assertThat(seen).hasSize(25).startsWith("entry 24", "entry 23").endsWith("entry 0");
        }
    }

    @Test
    void entriesAreThereWhenTheLogIsOpenedAgain() {
        long position;
        try (AuditLog log = open()) {
            @Nullable Void _ = get(log.append(bytes("before")));
            AuditLog.Entry entry = get(log.read(Long.MAX_VALUE, 1)).getFirst();
            assertThat(entry.timeMillis()).isPositive();
            position = entry.position();
        }
        try (AuditLog log = open()) {
            @Nullable Void _ = get(log.append(bytes("after")));
            List<AuditLog.Entry> entries = get(log.read(Long.MAX_VALUE, 10));
            assertThat(entries).extracting(AuditLogContract::text).containsExactly("after", "before");
            assertThat(entries.getFirst().position()).isGreaterThan(position);
        }
    }

    /** An entry's bytes. */
    protected static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text of an entry. */
    protected static String text(AuditLog.Entry entry) {
        return new String(entry.bytes(), StandardCharsets.UTF_8);
    }
}
