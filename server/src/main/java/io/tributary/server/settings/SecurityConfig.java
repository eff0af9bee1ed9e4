package io.tributary.server.settings;

import io.tributary.security.AuthenticatorConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may connect.
 *
 * @param anonymous where clients without credentials may
 * @param authenticators all authenticators, by name
 * @param chains the names of the authenticators of a listener, in order, by its name; listeners without are not in it
 * @param adminTokenFile the file with the token that opens the API; null where none is named
 * @param seed the file with what is put into the store where it is not there yet; null where none is named
 */
public record SecurityConfig(
        SecuritySettings.Anonymous anonymous,
        Map<String, AuthenticatorConfig> authenticators,
        Map<String, List<String>> chains,
        @Nullable Path adminTokenFile,
        @Nullable Path seed) {

    /** Copies the maps. */
    public SecurityConfig {
        authenticators = Map.copyOf(authenticators);
        chains = Map.copyOf(chains);
    }
}
