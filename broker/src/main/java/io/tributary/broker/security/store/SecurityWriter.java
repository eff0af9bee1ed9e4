package io.tributary.broker.security.store;

import io.tributary.broker.security.store.ChangeResult.Conflict;
import io.tributary.broker.security.store.ChangeResult.Done;
import io.tributary.broker.security.store.ChangeResult.NotNow;
import io.tributary.broker.security.store.ChangeResult.Refused;
import io.tributary.broker.security.store.ChangeResult.Unknown;
import io.tributary.common.event.UnreadableRecordException;
import io.tributary.persistence.audit.AuditLog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the store, on the node that owns shard 0. Its first write says with which epoch it writes; once that has come
 * back it has seen all that was written before, and what earlier writers write from then on does not count. Changes of
 * one object are made one after the other, others at once. Any thread; never blocks.
 */
final class SecurityWriter {
    private static final int MOST_WAITING = 1_000;
    private static final Duration REMEMBERED = Duration.ofDays(1);
    private static final int PURGED_AT_ONCE = 1_000;
    private static final int AUTOMATIC_A_SECOND = 10;
    private static final int LOOKED_AT_ONCE = 10_000;

    private final Map<SecurityTable, TableCopy> copies;
    private final LongSupplier ownEpoch;
    private final InstantSource clock;
    private final AuditLog audit;
    private final ConcurrentMap<String, CompletableFuture<ChangeResult>> last = new ConcurrentHashMap<>();
    private final Semaphore room = new Semaphore(MOST_WAITING);
    private final AtomicInteger automatic = new AtomicInteger();
    private @Nullable Claim claim; // guarded by this
    private final Map<SecurityTable, String> lookedUpTo = new EnumMap<>(SecurityTable.class); // on that of removeVoid

    /**
     * Creates it.
     *
     * @param ownEpoch the epoch of this node's ownership of shard 0, -1 while another node owns it
     * @param clock the time of the cluster
     * @param audit has an entry of each change before that is made
     */
    SecurityWriter(Map<SecurityTable, TableCopy> copies, LongSupplier ownEpoch, InstantSource clock, AuditLog audit) {
        this.copies = copies;
        this.ownEpoch = ownEpoch;
        this.clock = clock;
        this.audit = audit;
    }

    /** An ownership of this node, from its record in each map on. */
    private record Claim(long epoch, CompletableFuture<Boolean> holds, AtomicLong versions) {
        private boolean isLost() {
            return holds.isDone() && (holds.isCompletedExceptionally() || !holds.join());
        }

        private Stamp next() {
            return new Stamp(epoch, versions.incrementAndGet());
        }
    }

    /** Whether this node is the one that writes. */
    boolean isOwner() {
        return ownEpoch.getAsLong() >= 0;
    }

    /** Makes a change, if this node is the one that writes. The stage does not fail. */
    CompletionStage<ChangeResult> change(Change change) {
        byte[] body = change.body();
        if (body != null) {
            try {
                SecurityObject object = SecurityCodec.decode(change.table(), body);
                if (!object.id().equals(change.id())) {
                    return answer(new Refused("the object is that of " + object.id()));
                }
            } catch (UnreadableRecordException e) {
                return answer(new Refused(String.valueOf(e.getMessage())));
            }
        }
        if (change.isAutomatic() && body != null && automatic.incrementAndGet() > AUTOMATIC_A_SECOND) {
            return answer(new Refused("there are too many automatic bans in this second"));
        }
        if (!room.tryAcquire()) {
            return answer(new NotNow("too many changes wait"));
        }
        return inTurn(
                        change.table() + change.id(),
                        () -> claimed()
                                .thenCompose(held -> held == null
                                        ? answer(new NotNow("another node writes from now on"))
                                        : apply(held, change)))
                .whenComplete((_, _) -> room.release());
    }

    /** Writes again what was overwritten late, and forgets objects that were removed long ago; once a second. */
    void tick() {
        automatic.set(0);
        if (!isOwner()) {
            return;
        }
        copies.forEach((table, copy) -> {
            for (String id : copy.takeOverwritten()) {
                CompletionStage<ChangeResult> _ =
                        inTurn(table + id, () -> claimed().thenCompose(held -> again(held, copy, id)));
            }
        });
    }

    /** Forgets objects that were removed long ago; now and then. */
    void purge() {
        if (!isOwner()) {
            return;
        }
        long before = clock.millis() - REMEMBERED.toMillis();
        copies.forEach((table, copy) -> copy.removed().stream()
                .filter(id -> isLongGone(copy.last(id), isAutomatic(table, id) ? Long.MAX_VALUE : before))
                .limit(PURGED_AT_ONCE)
                .forEach(id -> inTurn(table + id, () -> claimed().thenCompose(held -> purge(held, copy, id)))));
    }

    /** An old entry of such a ban does no harm when it comes late: it is over. */
    private static boolean isAutomatic(SecurityTable table, String id) {
        return table == SecurityTable.BANS && Ban.isAutomatic(id);
    }

    private static boolean isLongGone(@Nullable StoredEntry entry, long beforeMillis) {
        return entry != null && entry.body() == null && entry.changedMillis() < beforeMillis;
    }

    /**
     * Removes bans and device tokens that are over, and device tokens of users who are gone: all void already. Looks at
     * a bounded number of them, and goes on from there the next time; now and then, on one thread.
     */
    void removeVoid() {
        TableCopy users = copies.get(SecurityTable.USERS);
        if (!isOwner() || users == null) {
            return;
        }
        remove(SecurityTable.TOKENS, entry -> isVoid(entry, users));
        remove(SecurityTable.BANS, this::isOver);
    }

    private void remove(SecurityTable table, Predicate<StoredEntry> isVoid) {
        TableCopy copy = Objects.requireNonNull(copies.get(table));
        List<Map.Entry<String, StoredEntry>> looked = copy.after(lookedUpTo.getOrDefault(table, ""))
                .limit(LOOKED_AT_ONCE)
                .toList();
        lookedUpTo.put(table, looked.size() == LOOKED_AT_ONCE ? looked.getLast().getKey() : "");
        for (Map.Entry<String, StoredEntry> entry : looked) {
            if (isVoid.test(entry.getValue())) {
                Change.Condition unchanged = new Change.Is(entry.getValue().stamp());
                CompletionStage<ChangeResult> _ = change(
                        isAutomatic(table, entry.getKey())
                                ? Change.removeAutomatic(entry.getKey(), unchanged)
                                : Change.remove(table, entry.getKey(), unchanged, Change.BROKER, ""));
            }
        }
    }

    private boolean isOver(StoredEntry entry) {
        return entry.body() != null
                && SecurityCodec.decode(SecurityTable.BANS, entry.body()) instanceof Ban ban
                && !ban.holdsAt(clock.instant());
    }

    private boolean isVoid(StoredEntry entry, TableCopy users) {
        if (entry.body() == null
                || !(SecurityCodec.decode(SecurityTable.TOKENS, entry.body()) instanceof DeviceToken token)) {
            return false;
        }
        if (token.expires() != null && !clock.instant().isBefore(token.expires())) {
            return true;
        }
        StoredEntry user = users.get(token.user());
        return user == null
                || user.body() == null
                || !(SecurityCodec.decode(SecurityTable.USERS, user.body()) instanceof StoredUser owner)
                || owner.serial() != token.userSerial();
    }

    private CompletionStage<ChangeResult> apply(Claim held, Change change) {
        TableCopy copy = copies.get(change.table());
        if (copy == null || ownEpoch.getAsLong() != held.epoch()) {
            return answer(new NotNow("another node writes from now on"));
        }
        StoredEntry there = copy.get(change.id());
        Stamp before = there == null ? null : there.stamp();
        if (!change.condition().holds(before)) {
            return answer(new Conflict(before));
        }
        if (before == null && change.body() == null) {
            return answer(new Conflict(null));
        }
        if (before == null && change.table() == SecurityTable.USERS && !StoredUser.canBeNew(change.id())) {
            return answer(new Refused("the realm and the name have more than " + SecurityObject.MOST_NAME_BYTES
                    + " bytes together, with the colon between"));
        }
        if (before == null && copy.size() >= change.table().mostEntries()) {
            return answer(new Refused(
                    "there are " + copy.size() + " " + change.table().mapName() + ", and no more are kept"));
        }
        byte[] old = there == null ? null : there.body();
        if (change.isAutomatic()) {
            return write(held, copy, change.id(), change.body());
        }
        return audit.append(AuditEntry.of(change, old).encode())
                .handle((_, failure) -> failure)
                .thenCompose(failure -> failure == null
                        ? write(held, copy, change.id(), change.body()).thenCompose(made -> noted(change, old, made))
                        : answer(new NotNow("the audit log does not take an entry: " + failure.getMessage())));
    }

    /** A change that may not have been made has one more entry, which nobody waits for. */
    private CompletionStage<ChangeResult> noted(Change change, byte @Nullable [] old, ChangeResult made) {
        if (!(made instanceof Done)) {
            CompletionStage<@Nullable Void> _ =
                    audit.append(AuditEntry.of(change, "failed", old).encode());
        }
        return answer(made);
    }

    private CompletionStage<ChangeResult> write(Claim held, TableCopy copy, String id, byte @Nullable [] body) {
        Stamp stamp = held.next();
        return copy.put(id, new StoredEntry(stamp, clock.millis(), body)).handle((_, failure) -> {
            if (failure != null) {
                return new Unknown("the change may not have been stored: " + failure.getMessage());
            }
            return copy.has(id, stamp) ? new Done(stamp) : new Unknown("another node writes from now on");
        });
    }

    private CompletionStage<ChangeResult> again(@Nullable Claim held, TableCopy copy, String id) {
        if (held == null) {
            return answer(new NotNow("another node writes from now on"));
        }
        StoredEntry newest = copy.last(id);
        return write(held, copy, id, newest == null ? null : newest.body());
    }

    private CompletionStage<ChangeResult> purge(@Nullable Claim held, TableCopy copy, String id) {
        StoredEntry there = copy.last(id);
        if (held == null || there == null || there.body() != null) {
            return answer(new NotNow("it is there again"));
        }
        return copy.purge(id)
                .handle((_, failure) -> failure == null
                        ? new Done(there.stamp())
                        : new Unknown("the removal may not have been stored: " + failure.getMessage()));
    }

    /** This node's right to write, when it has it; null when another node has. */
    private CompletionStage<@Nullable Claim> claimed() {
        long epoch = ownEpoch.getAsLong();
        if (epoch < 0) {
            return CompletableFuture.completedStage(null);
        }
        Claim asked = begin(epoch);
        return asked.holds().thenApply(holds -> holds ? asked : null);
    }

    /** Claims the maps, unless another thread has begun with that; a repeated claim goes on with its numbers. */
    private Claim begin(long epoch) {
        Claim begun;
        synchronized (this) {
            Claim before = claim;
            if (before != null && before.epoch() == epoch && !before.isLost()) {
                return before;
            }
            AtomicLong versions = before != null && before.epoch() == epoch ? before.versions() : new AtomicLong();
            begun = new Claim(epoch, new CompletableFuture<>(), versions);
            claim = begun;
        }
        CompletableFuture<?>[] records = copies.values().stream()
                .map(copy -> copy.claim(epoch).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletionStage<?> _ = CompletableFuture.allOf(records)
                .whenComplete((_, failure) -> begun.holds().complete(failure == null && isNewest(epoch)));
        return begun;
    }

    private boolean isNewest(long epoch) {
        return copies.values().stream().allMatch(copy -> copy.writerEpoch() == epoch);
    }

    /** Does something for an object when all before it is done. */
    private CompletionStage<ChangeResult> inTurn(String key, Supplier<CompletionStage<ChangeResult>> action) {
        CompletableFuture<ChangeResult> done = new CompletableFuture<>();
        CompletableFuture<ChangeResult> before = last.put(key, done);
        CompletableFuture<ChangeResult> turn =
                before == null ? CompletableFuture.completedFuture(new NotNow("")) : before;
        CompletionStage<?> _ = turn.thenCompose(_ -> action.get()).whenComplete((result, failure) -> {
            last.remove(key, done);
            done.complete(failure == null ? result : new Unknown(String.valueOf(failure.getMessage())));
        });
        return done;
    }

    private static CompletionStage<ChangeResult> answer(ChangeResult result) {
        return CompletableFuture.completedStage(result);
    }
}
