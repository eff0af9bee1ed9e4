package io.tributary.broker.security.store;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The kinds of security objects, each a replicated map of its own. */
public enum SecurityTable {
    /** {@link StoredUser}s. */
    USERS(5_000_000),
    /** {@link DeviceToken}s. */
    TOKENS(5_000_000),
    /** {@link StoredRuleSet}s. */
    RULES(1_000),
    /** {@link Ban}s. */
    BANS(1_000_000),
    /** {@link TenantLimits}. */
    TENANTS(100_000);

    private final int mostEntries;

    SecurityTable(int mostEntries) {
        this.mostEntries = mostEntries;
    }

    /** The name of the map, and in the API. */
    public String mapName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How many objects there may be. */
    public int mostEntries() {
        return mostEntries;
    }

    /** The one with this name, if there is one. */
    public static Optional<SecurityTable> named(String mapName) {
        return Arrays.stream(values())
                .filter(table -> table.mapName().equals(mapName))
                .findAny();
    }

    /** The names of all maps. */
    public static List<String> mapNames() {
        return Arrays.stream(values()).map(SecurityTable::mapName).toList();
    }
}
