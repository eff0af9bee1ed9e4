package io.tributary.broker.tenant;

import io.tributary.broker.security.store.TenantLimits.Limit;

/** Counts what tenants do. Any thread; must not block. */
public interface TenantRecorder {
    /** Counts nothing. */
    TenantRecorder NONE = _ -> Counts.NONE;

    /** The counts of a tenant. */
    Counts of(String tenant);

    /** Counts what one tenant does, or several together. */
    interface Counts {
        /** Counts nothing. */
        Counts NONE = new Counts() {};

        /** A client published a message of so many bytes. */
        default void received(long bytes) {}

        /** A client was sent a message of so many bytes. */
        default void sent(long bytes) {}

        /** Something was refused, or a client is read later, because of a limit. */
        default void refused(Limit limit) {}
    }
}
