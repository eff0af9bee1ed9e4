package io.tributary.broker.subscription;

import io.tributary.broker.security.Revocations;
import java.util.List;

/** What becomes of a subscription that rules do not cover any more as it is. */
public enum Withdrawal {
    /** No rule allows it: it is removed, as if its client had unsubscribed. */
    REMOVED,
    /** A rule allows it with a lower QoS: it has that from now on. */
    LOWERED;

    /**
     * Has withdrawals counted.
     *
     * @return whether some subscriptions were removed; of the others the QoS was lowered
     */
    public static boolean count(List<Withdrawal> withdrawn, Revocations revocations) {
        long removed = withdrawn.stream().filter(each -> each == REMOVED).count();
        revocations.withdrawn(removed, withdrawn.size() - removed);
        return removed > 0;
    }
}
