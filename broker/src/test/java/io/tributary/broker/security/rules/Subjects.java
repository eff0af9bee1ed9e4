package io.tributary.broker.security.rules;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Clients for tests of rules. */
final class Subjects {
    private Subjects() {}

    /** A client that has nothing but an identifier. */
    static Subject ofClientId(String clientId) {
        return new Subject(clientId, null, null, null, Set.of(), null, null, Map.of(), List.of());
    }
}
