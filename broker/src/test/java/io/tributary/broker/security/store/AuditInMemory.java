package io.tributary.broker.security.store;

import io.tributary.persistence.audit.AuditLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An audit log whose entries a test looks at; it can be told to take none. */
final class AuditInMemory implements AuditLog {
    final List<String> entries = new ArrayList<>();

    @Nullable
    RuntimeException refusal;

    @Override
    public CompletionStage<@Nullable Void> append(byte[] entry) {
        if (refusal != null) {
            return CompletableFuture.failedStage(refusal);
        }
        entries.add(new String(entry, StandardCharsets.UTF_8));
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Entry>> read(long before, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
