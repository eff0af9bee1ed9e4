package io.tributary.broker.security.store;

import io.tributary.common.event.TenantNames;
import java.util.Locale;
import java.util.Map;

/**
 * A tenant and what it may use.
 *
 * @param name the tenant
 * @param limits those that there are; what has none is not limited
 */
public record TenantLimits(String name, Map<Limit, Long> limits) implements SecurityObject {

    /** What may be limited. */
    public enum Limit {
        /** Connections at once, of the whole cluster. */
        CONNECTIONS(0),
        /** Persistent sessions. */
        SESSIONS(1),
        /** Subscriptions. */
        SUBSCRIPTIONS(2),
        /** Retained messages. */
        RETAINED_MESSAGES(3),
        /** The bytes of retained messages. */
        RETAINED_BYTES(4),
        /** The bytes of queued messages. */
        QUEUED_BYTES(5),
        /** Messages a second. */
        MESSAGES_PER_SECOND(6),
        /** Bytes a second. */
        BYTES_PER_SECOND(7);

        private final int code;

        Limit(int code) {
            this.code = code;
        }

        /** The number that stands for it in records: never changed, never used again. */
        int code() {
            return code;
        }

        /** What the API calls it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Copies the map. */
    public TenantLimits {
        TenantNames.check(name);
        SecurityObject.checkName("the name", name);
        limits = Map.copyOf(limits);
        limits.forEach((limit, value) -> {
            if (value < 0) {
                throw new IllegalArgumentException(limit.text() + " must be 0 or more, not " + value);
            }
        });
    }

    @Override
    public String id() {
        return name;
    }

    @Override
    public SecurityTable table() {
        return SecurityTable.TENANTS;
    }
}
