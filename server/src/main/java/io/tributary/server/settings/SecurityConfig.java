package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import java.util.List;
import java.util.Map;

/**
 * Who may connect.
 *
 * @param anonymous where clients without credentials may
 * @param authenticators all authenticators, by name
 * @param chains the names of the authenticators of a listener, in order, by its name; listeners without are not in it
 */
public record SecurityConfig(
        SecuritySettings.Anonymous anonymous,
        Map<String, AuthenticatorConfig> authenticators,
        Map<String, List<String>> chains) {

    /** Copies the maps. */
    public SecurityConfig {
        authenticators = Map.copyOf(authenticators);
        chains = Map.copyOf(chains);
    }
}
