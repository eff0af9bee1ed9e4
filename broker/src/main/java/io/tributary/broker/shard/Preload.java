package io.tributary.broker.shard;

import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The sessions and wills of a shard that another node serves still and this one is about to claim, read from the store
 * meanwhile: who claims the shard has the less to do, and clients wait the less. The other node makes no save points
 * for as long; where it did, the store is read anew, and in the end by {@link Takeover}. Confined to the thread of the
 * driver.
 *
 * <p>A state is what its log makes of it up to one offset, whoever has stored it; so what was read is the state that is
 * claimed if both are at one offset, and the log has not lost that record and got another one in its place.
 *
 * <p>Decided in docs/decisions/0018-the-node-table-assigns-shards.md.
 */
final class Preload {
    /** The store may be written to once more by what was under way. */
    private static final int MOST_TRIES = 3;

    /** How long what was read is kept for a claim. */
    private static final long KEPT_MILLIS = 10_000;

    /** In place of a page that was handed out. */
    private static final SessionPage NONE = new SessionPage(List.of(), List.of(), null);

    private final int shard;
    private final ShardStore store;
    private final Executor thread;
    private final long untilMillis;
    private final Runnable ready;

    private final List<SessionPage> pages = new ArrayList<>();
    private long applied = ShardStore.NOTHING_APPLIED;
    private int tries;
    private boolean isOver;
    private int handedOut;

    /** @param ready run once when the pages are read, or cannot be, or are not wanted any more */
    Preload(int shard, ShardStore store, Executor thread, long nowMillis, Runnable ready) {
        this.shard = shard;
        this.store = store;
        this.thread = thread;
        this.ready = ready;
        untilMillis = nowMillis + KEPT_MILLIS;
    }

    /** Begins to read. */
    void begin() {
        tries++;
        pages.clear();
        onAnswer(store.applied(shard), at -> read(at, null));
    }

    private void read(long at, @Nullable String cursor) {
        onAnswer(store.readSessions(shard, cursor), page -> {
            pages.add(page);
            if (page.cursor() != null) {
                read(at, page.cursor());
            } else {
                onAnswer(store.applied(shard), now -> compare(at, now));
            }
        });
    }

    private void compare(long at, long now) {
        if (at == now) {
            applied = at;
            end();
        } else if (tries < MOST_TRIES) {
            begin();
        } else {
            end();
        }
    }

    private <T> void onAnswer(CompletionStage<T> stage, Consumer<T> next) {
        stage.whenComplete((answer, failure) -> thread.execute(() -> {
            if (isOver) {
                return;
            }
            if (failure != null) {
                end();
            } else {
                next.accept(answer);
            }
        }));
    }

    /** Reads no further. */
    void end() {
        if (!isOver) {
            isOver = true;
            ready.run();
        }
    }

    /** Whether nobody has claimed the shard for so long that what was read is to be forgotten. */
    boolean isStale(long nowMillis) {
        return nowMillis >= untilMillis;
    }

    /** Whether what was read is the state that was claimed. */
    boolean isOf(Claim claimed) {
        boolean isRead = isOver && applied > ShardStore.NOTHING_APPLIED;
        return isRead
                && claimed.applied() == applied
                && (claimed.reused() == null || claimed.reused().to() < applied);
    }

    /** The first page, and then the one behind that which was handed out last, as the store would give it. */
    CompletionStage<SessionPage> nextPage() {
        return CompletableFuture.completedStage(pages.set(handedOut++, NONE));
    }
}
