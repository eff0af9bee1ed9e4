package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.common.event.ShardEvent.Owner;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import io.tributary.persistence.shard.ShardStore.SessionPage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Takes a shard over for one claim: appends the owner's record, claims the store, and reads the state that the store
 * has, page by page. Confined to the thread of the driver.
 */
final class Takeover {
    /** How long a log is given to say which records it has lost. */
    private static final long FIND_MILLIS = 5000;

    private final int shard;
    private final ShardEnvironment environment;
    private final ShardStore store;
    private final LogRepair repair;
    private final Tenure tenure;
    private final TenantShares shares;
    private @Nullable Preload preload;
    private final Outcome outcome;

    /** What the store has of a log that has lost its end: the log is asked where that was. */
    private @Nullable Claim ahead;

    private long findUntilMillis;

    /** Where the sessions and wills of the shard come from. */
    private interface Pages {
        /** The first page, or the one behind another. */
        CompletionStage<SessionPage> at(@Nullable String cursor);
    }

    /** What becomes of it; a failure ends the tenure instead. */
    interface Outcome {
        /** The owner's record is durable: the store is claimed and read. */
        void loading();

        /**
         * The log has lost records: the claim is over.
         *
         * @param from the first offset that has another record
         * @param used the highest offset that was used
         */
        void wentBack(long from, long used);

        /** The state is as the store has it. */
        void loaded(ShardState state);
    }

    /**
     * Creates it.
     *
     * @param shares where the sessions of tenants count, of which there are none yet
     * @param preload what was read of the state before, or null
     */
    Takeover(
            int shard,
            ShardEnvironment environment,
            LogRepair repair,
            Tenure tenure,
            TenantShares shares,
            @Nullable Preload preload,
            Outcome outcome) {
        this.shard = shard;
        this.environment = environment;
        this.repair = repair;
        this.tenure = tenure;
        this.shares = shares;
        this.preload = preload;
        this.outcome = outcome;
        store = environment.store();
    }

    /** Begins with the owner's record. */
    void begin() {
        repair.fill(
                tenure,
                () -> environment
                        .appender()
                        .append(shard, new Owner(environment.node()), tenure.appended(this::owned)));
    }

    private void owned(long epoch) {
        if (epoch < 0) {
            tenure.giveUp("the log does not say at which offset the record of its owner is");
            return;
        }
        tenure.epoch(epoch);
        if (epoch <= repair.refusedUpTo()) { // what refused the claim before this record was appended is not in the log
            outcome.wentBack(epoch, repair.refusedUpTo());
            return;
        }
        outcome.loading();
        // Every connection that has a session as far as the own record is known then, or known to be gone.
        tenure.onAnswer(
                environment.nodes().caughtUp(),
                _ -> tenure.onAnswer(environment.log().identity(), found -> {
                    repair.found(found);
                    load();
                }));
    }

    /** Claims and reads the store; the owner's record is in the log. */
    void load() {
        tenure.onAnswer(store.claim(shard, repair.claimant(tenure.epoch())), claimed -> {
            if (claimed.applied() >= tenure.epoch()) {
                findGap(claimed);
            } else {
                repair.filled();
                Preload known = preload != null && preload.isOf(claimed) ? preload : null;
                preload = null;
                Pages pages = known != null ? _ -> known.nextPage() : cursor -> store.readSessions(shard, cursor);
                ShardState state = new ShardState(new NoEffects(), claimed, shares::of);
                read(state, pages, pages.at(null), new ArrayList<>());
            }
        });
    }

    /** The store is ahead of a record that was appended just now: has the log say what it has lost. */
    private void findGap(Claim claimed) {
        ahead = claimed;
        findUntilMillis = environment.clockMillis().getAsLong() + FIND_MILLIS;
        environment.log().readFrom(shard, claimed.applied() + 1, claimed.leaderEpoch());
    }

    /** The log has other records than before from an offset on; tells whether that was asked. */
    boolean wentBack(long at) {
        Claim found = ahead;
        if (found != null) {
            outcome.wentBack(at, found.applied());
        }
        return found != null;
    }

    /** The log has handed out records that were read from an offset: the only answer may be that it goes on there. */
    void records(long from) {
        if (ahead != null && from == ahead.applied() + 1) {
            foundNothing(ahead);
        }
    }

    /** Does what time asks for. */
    void tick(long nowMillis) {
        if (ahead != null && nowMillis >= findUntilMillis) {
            foundNothing(ahead);
        }
    }

    /** No more is known than that the own record is among those that came instead. */
    private void foundNothing(Claim found) {
        outcome.wentBack(tenure.epoch(), found.applied());
    }

    /** The next page is asked for before one is taken in, for both take their time. */
    private void read(ShardState state, Pages pages, CompletionStage<SessionPage> next, List<ClientWill> wills) {
        tenure.onAnswer(next, page -> {
            CompletionStage<SessionPage> behind = page.cursor() == null ? null : pages.at(page.cursor());
            state.load(page.sessions(), List.of());
            wills.addAll(page.wills());
            if (behind != null) {
                read(state, pages, behind, wills);
            } else {
                state.load(List.of(), wills);
                verify(state);
            }
        });
    }

    /** The state is whole if the store is still where it was when its pages began to be read. */
    private void verify(ShardState state) {
        tenure.onAnswer(store.claim(shard, repair.claimant(tenure.epoch())), claimed -> {
            if (claimed.applied() == state.applied()) {
                outcome.loaded(state);
            } else {
                tenure.giveUp("it has moved");
            }
        });
    }
}
