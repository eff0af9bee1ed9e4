package io.tributary.broker.shard;

import io.tributary.broker.shard.fold.NoEffects;
import io.tributary.broker.shard.fold.ShardState;
import io.tributary.persistence.shard.SavePoint.ClientWill;
import io.tributary.persistence.shard.ShardStore;
import io.tributary.persistence.shard.ShardStore.Claim;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes a shard's store over for one claim, and reads the state that it has, page by page. Confined to the thread of
 * the driver.
 */
final class StoreLoad {
    private final int shard;
    private final ShardStore store;
    private final LogRepair repair;
    private final Tenure tenure;
    private final Outcome outcome;

    /** What its driver does. */
    interface Outcome {
        /** The store has folded more than the log had when the shard was claimed. */
        void isAhead(Claim claimed);

        /**
         * The state is as the store has it.
         *
         * @param numbersMayRepeat whether the log has lost its end: numbers that connections know messages by are given
         *     to others
         */
        void loaded(ShardState state, boolean numbersMayRepeat);
    }

    StoreLoad(int shard, ShardStore store, LogRepair repair, Tenure tenure, Outcome outcome) {
        this.shard = shard;
        this.store = store;
        this.repair = repair;
        this.tenure = tenure;
        this.outcome = outcome;
    }

    /** Claims the store; what fails, or comes later than the claim holds, is the tenure's. */
    void begin() {
        tenure.onAnswer(store.claim(shard, repair.claimant(tenure.epoch())), claimed -> {
            if (claimed.applied() >= tenure.epoch()) {
                outcome.isAhead(claimed);
            } else {
                repair.filled();
                read(claimed, new ShardState(new NoEffects(), claimed), null, new ArrayList<>());
            }
        });
    }

    private void read(Claim first, ShardState state, @Nullable String cursor, List<ClientWill> wills) {
        tenure.onAnswer(store.readSessions(shard, cursor), page -> {
            state.load(page.sessions(), List.of());
            wills.addAll(page.wills());
            if (page.cursor() != null) {
                read(first, state, page.cursor(), wills);
            } else {
                state.load(List.of(), wills);
                verify(first, state);
            }
        });
    }

    /** The state is whole if the store is still where it was when its pages began to be read. */
    private void verify(Claim first, ShardState state) {
        tenure.onAnswer(store.claim(shard, repair.claimant(tenure.epoch())), claimed -> {
            if (claimed.applied() == state.applied()) {
                ShardStore.Reused reused = first.reused();
                outcome.loaded(state, reused != null && reused.to() > first.applied());
            } else {
                tenure.giveUp("it has moved");
            }
        });
    }
}
