package io.tributary.broker.shard;

import io.tributary.common.event.QueueEntry;
import io.tributary.common.event.StoredSession;
import io.tributary.persistence.shard.FencedException;
import io.tributary.persistence.shard.LogRecord;
import io.tributary.persistence.shard.SavePoint;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.SavePoint.SourcePosition;
import io.tributary.persistence.shard.SavePoint.WillKey;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.Claimant;
import io.tributary.persistence.shard.ShardStore.ExpiredPage;
import io.tributary.persistence.shard.ShardStore.Remnant;
import io.tributary.persistence.shard.ShardStore.Reused;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store of a simulation. Requests of a process arrive in order and take effect at once; they and their answers take
 * a while, may fail before or after they took effect, and get lost with their process.
 */
final class SimStore {
    private static final int ENTRIES_PER_PAGE = 3;

    private final SimClock clock;
    private final List<Shard> shards = new ArrayList<>();
    private final List<List<Shard>> snapshots = new ArrayList<>();
    private final boolean goesBack;
    private double failures;

    /** Creates an empty one, which can be made to go back in time or not. */
    SimStore(SimClock clock, int shardCount, boolean goesBack) {
        this.clock = clock;
        this.goesBack = goesBack;
        for (int shard = 0; shard < shardCount; shard++) {
            shards.add(new Shard());
            snapshots.add(new ArrayList<>(List.of(new Shard())));
        }
    }

    /** The state of one shard; a copy shares only what never changes. */
    static final class Shard {
        long epoch = -1;
        long applied = ShardStore.NOTHING_APPLIED;
        int leaderEpoch = LogRecord.NO_LEADER;
        long foldedOwner = -1;
        long snapshotMillis = ShardStore.NO_SNAPSHOT;
        String log = "";

        @Nullable
        Reused reused;

        final Map<Integer, SourcePosition> sources = new TreeMap<>();
        final Map<String, StoredSession> sessions = new TreeMap<>();
        final Map<String, NavigableMap<Long, QueueEntry>> queues = new TreeMap<>();
        final Map<String, ClientWill> wills = new TreeMap<>();

        Shard copy() {
            Shard copy = new Shard();
            copy.epoch = epoch;
            copy.applied = applied;
            copy.leaderEpoch = leaderEpoch;
            copy.foldedOwner = foldedOwner;
            copy.snapshotMillis = snapshotMillis;
            copy.log = log;
            copy.reused = reused;
            copy.sources.putAll(sources);
            copy.sessions.putAll(sessions);
            queues.forEach((clientId, queue) -> copy.queues.put(clientId, new TreeMap<>(queue)));
            copy.wills.putAll(wills);
            return copy;
        }

        /** Applies a save point without asking for its owner. */
        void apply(SavePoint savePoint) {
            applied = savePoint.applied();
            leaderEpoch = savePoint.leaderEpoch();
            foldedOwner = savePoint.foldedOwner();
            snapshotMillis = savePoint.snapshotMillis();
            savePoint.sources().forEach(source -> sources.put(source.shard(), source));
            savePoint.cleared().forEach(sessions::remove);
            savePoint.cleared().forEach(queues::remove);
            savePoint.sessions().forEach(stored -> sessions.put(stored.clientId(), stored));
            savePoint.removed().forEach(key -> queue(key.clientId()).remove(key.sequence()));
            savePoint.queued().forEach(entry -> queue(entry.clientId()).put(entry.sequence(), entry.entry()));
            savePoint.willsRemoved().forEach(key -> wills.remove(nameOf(key)));
            savePoint.wills().forEach(will -> wills.put(nameOf(new WillKey(will.clientId(), will.epoch())), will));
            queues.values().removeIf(Map::isEmpty);
        }

        /** Lets an owner claim the shard, whose epoch is new enough. */
        Claim claim(Claimant owner) {
            if (!log.isEmpty() && !log.equals(owner.log()) && !owner.acceptsLog()) {
                throw new FencedException("the state is that of " + log, Math.max(epoch, applied), true);
            }
            if (owner.epoch() < epoch) {
                throw new FencedException("owner " + epoch + " is newer than " + owner.epoch(), epoch, false);
            }
            epoch = owner.epoch();
            log = owner.log();
            Reused again = owner.reused();
            if (again != null) {
                Reused before = reused;
                if (before != null && before.to() > applied && before.from() <= again.from()) {
                    reused = new Reused(before.from(), again.to());
                } else {
                    reused = again;
                }
                snapshotMillis = ShardStore.NO_SNAPSHOT;
                if (applied >= again.from()) {
                    applied = again.from() - 1;
                    leaderEpoch = LogRecord.NO_LEADER;
                }
            }
            return new Claim(applied, leaderEpoch, foldedOwner, snapshotMillis, List.copyOf(sources.values()), reused);
        }

        /** What has expired in a part of a queue. */
        ExpiredPage expired(String clientId, long fromSequence, long nowMillis, int maxEntries) {
            List<Remnant> expired = new ArrayList<>();
            long upTo = -1;
            int left = maxEntries;
            NavigableMap<Long, QueueEntry> queue = queues.getOrDefault(clientId, new TreeMap<>());
            for (var entry : queue.tailMap(fromSequence, true).entrySet()) {
                if (left-- == 0) {
                    return new ExpiredPage(expired, upTo, true, applied);
                }
                upTo = entry.getKey();
                if (entry.getValue() instanceof QueueEntry.Queued queued
                        && queued.message().isExpiredAt(nowMillis)) {
                    expired.add(new Remnant(
                            upTo,
                            queued.sizeBytes(),
                            queued.message().expiresAtMillis(),
                            queued.message().priority()));
                }
            }
            return new ExpiredPage(expired, upTo, false, applied);
        }

        private NavigableMap<Long, QueueEntry> queue(String clientId) {
            return queues.computeIfAbsent(clientId, _ -> new TreeMap<>());
        }

        private static String nameOf(WillKey key) {
            return key.clientId() + "/" + key.epoch();
        }
    }

    Shard shard(int shard) {
        return shards.get(shard);
    }

    /** From now on so many of the requests fail. */
    void failures(double share) {
        failures = share;
    }

    /** A shard is found as it was at an earlier time, perhaps empty. */
    void goBackInTime(int shard) {
        List<Shard> earlier = snapshots.get(shard);
        Shard then = earlier.get(clock.below(earlier.size()));
        shards.set(shard, then.copy());
    }

    /** A shard is found with nothing in it. */
    void empty(int shard) {
        shards.set(shard, new Shard());
    }

    View view() {
        return new View();
    }

    /** The store as one process sees it. */
    final class View implements ShardStore {
        final SimThread requests = new SimThread(clock, 6);
        private final SimThread answers = new SimThread(clock, 3);

        @Override
        public CompletionStage<Claim> claim(int shard, Claimant owner) {
            return ask(() -> shards.get(shard).claim(owner));
        }

        @Override
        public CompletionStage<SessionPage> readSessions(int shard, @Nullable String cursor) {
            return ask(() -> {
                Shard state = shards.get(shard);
                if (cursor == null) { // wills before sessions, for either order is allowed
                    return new SessionPage(List.of(), List.copyOf(state.wills.values()), "");
                }
                List<StoredSession> page = new ArrayList<>();
                for (StoredSession stored : state.sessions.values()) {
                    if (stored.clientId().compareTo(cursor) > 0 && page.size() < ENTRIES_PER_PAGE) {
                        page.add(stored);
                    }
                }
                boolean isLast = page.isEmpty();
                return new SessionPage(
                        page, List.of(), isLast ? null : page.getLast().clientId());
            });
        }

        @Override
        public CompletionStage<QueuePage> readQueue(
                int shard, String clientId, long fromSequence, int maxEntries, int maxBytes, Priorities priorities) {
            return ask(() -> {
                Shard state = shards.get(shard);
                List<Entry> page = new ArrayList<>();
                NavigableMap<Long, QueueEntry> queue = state.queues.getOrDefault(clientId, new TreeMap<>());
                int most = Math.min(maxEntries, ENTRIES_PER_PAGE);
                long upTo = -1;
                int passed = 0;
                for (var entry : queue.tailMap(fromSequence, true).entrySet()) {
                    if (page.size() == most || passed == ENTRIES_PER_PAGE) {
                        return new QueuePage(page, List.of(), upTo, true, state.applied);
                    }
                    upTo = entry.getKey();
                    if (priorities.has(entry.getValue())) {
                        page.add(new Entry(entry.getKey(), entry.getValue()));
                    } else {
                        passed++;
                    }
                }
                return new QueuePage(page, List.of(), upTo, false, state.applied);
            });
        }

        @Override
        public CompletionStage<ExpiredPage> readExpired(
                int shard, String clientId, long fromSequence, long nowMillis, int maxEntries) {
            return ask(() -> shards.get(shard)
                    .expired(clientId, fromSequence, nowMillis, Math.min(maxEntries, ENTRIES_PER_PAGE)));
        }

        @Override
        public CompletionStage<Long> applied(int shard) {
            return ask(() -> shards.get(shard).applied);
        }

        @Override
        public CompletionStage<@Nullable Void> save(int shard, SavePoint savePoint) {
            return ask(() -> {
                Shard state = shards.get(shard);
                checkEpoch(state, savePoint.ownerEpoch());
                if (state.applied == savePoint.applied() && state.applied != savePoint.expectedApplied()) {
                    return null;
                }
                if (state.applied != savePoint.expectedApplied()) {
                    throw new FencedException("at " + state.applied + ", not " + savePoint.expectedApplied());
                }
                state.apply(savePoint);
                state.epoch = savePoint.ownerEpoch();
                if (goesBack) {
                    snapshots.get(shard).add(state.copy());
                }
                return null;
            });
        }

        @Override
        public void close() {}

        /** Dies, with all requests that are on their way. */
        void die() {
            requests.die();
            answers.die();
        }

        private void checkEpoch(Shard state, long ownerEpoch) {
            if (ownerEpoch < state.epoch) {
                throw new FencedException("owner " + state.epoch + " is newer than " + ownerEpoch);
            }
        }

        private <T extends @Nullable Object> CompletionStage<T> ask(Supplier<T> request) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            requests.execute(() -> answer(request, answer));
            return answer;
        }

        private <T extends @Nullable Object> void answer(Supplier<T> request, CompletableFuture<T> answer) {
            if (clock.chance(failures)) {
                answers.execute(() -> answer.completeExceptionally(new IOException("the request was lost")));
                return;
            }
            try {
                T result = request.get();
                boolean isLost = clock.chance(failures);
                answers.execute(() -> {
                    if (isLost) {
                        answer.completeExceptionally(new IOException("the answer was lost"));
                    } else {
                        answer.complete(result);
                    }
                });
            } catch (FencedException e) {
                answers.execute(() -> answer.completeExceptionally(e));
            }
        }
    }
}
