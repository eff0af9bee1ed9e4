package io.tributary.broker.subscription;

import java.util.Collection;

/** What becomes of a subscription that rules do not cover any more as it is. */
public enum Withdrawal {
    /** No rule allows it: it is removed, as if its client had unsubscribed. */
    REMOVED,
    /** A rule allows it with a lower QoS: it has that from now on. */
    LOWERED;

    /** How many of them are removed; the others are lowered. */
    public static long removed(Collection<Withdrawal> withdrawn) {
        return withdrawn.stream().filter(each -> each == REMOVED).count();
    }
}
