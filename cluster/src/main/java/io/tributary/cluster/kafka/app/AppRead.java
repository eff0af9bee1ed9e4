package io.tributary.cluster.kafka.app;

import io.tributary.cluster.kafka.KafkaAccessException;
import io.tributary.persistence.app.AppTopics.AppRecord;
import io.tributary.persistence.app.AppTopics.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call to read: what is wanted, and the answer. */
class AppRead {
    private final String clientId;
    private final @Nullable String id;
    private final long from;
    private final int maxRecords;
    private final int maxBytes;
    private final CompletableFuture<Page> answer = new CompletableFuture<>();

    AppRead(String clientId, @Nullable String id, long from, int maxRecords, int maxBytes) {
        this.clientId = clientId;
        this.id = id;
        this.from = Math.max(0, from);
        this.maxRecords = maxRecords;
        this.maxBytes = maxBytes;
    }

    String clientId() {
        return clientId;
    }

    /** Which topic is to be read; null for whichever there is. */
    @Nullable
    String topic() {
        return id;
    }

    /** Whether it is to be read from another topic than that. */
    boolean isOfAnother(@Nullable String found) {
        return id != null && found != null && !id.equals(found);
    }

    long from() {
        return from;
    }

    CompletableFuture<Page> answer() {
        return answer;
    }

    /** Not while a lock is held: the caller's code may run. */
    void complete(Page page) {
        answer.complete(page);
    }

    /** Not while a lock is held: the caller's code may run. */
    void fail(String reason) {
        answer.completeExceptionally(new KafkaAccessException(reason));
    }

    /** A page to be filled. */
    Filling filling() {
        return new Filling();
    }

    /** The records of a page, as far as they are wanted. */
    final class Filling {
        private final List<AppRecord> records = new ArrayList<>();
        private long bytes;

        boolean isFull() {
            return records.size() >= maxRecords || (bytes >= maxBytes && !records.isEmpty());
        }

        boolean isEmpty() {
            return records.isEmpty();
        }

        void add(AppRecord record) {
            records.add(record);
            bytes += record.message().memoryBytes();
        }

        /** Behind the last record. */
        long end() {
            return records.getLast().position() + 1;
        }

        Page page(long begin, long next) {
            return new Page(records, begin, next);
        }
    }
}
