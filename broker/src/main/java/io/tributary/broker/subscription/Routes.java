package io.tributary.broker.subscription;

import io.tributary.persistence.replicated.ReplicatedMap;

/** Stub. */
public final class Routes {
    /** None. */
    public static final Routes NONE = new Routes();

    private Routes() {}

    /** Stub. */
    public static Routes of(ReplicatedMap map, String node) {
        return new Routes();
    }
}
