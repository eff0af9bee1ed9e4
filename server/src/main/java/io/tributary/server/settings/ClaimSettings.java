package io.tributary.server.settings;

import io.tributary.security.jwt.TokenClaims;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which claims of a token say what. A name with dots, such as {@code realm_access.roles}, is a claim within a claim.
 *
 * @param name The claim with the name of the client. Without a value, {@code sub}.
 * @param clientId The claim that must be equal to the client identifier. Without a value, any identifier will do.
 * @param userName The claim with the user name.
 * @param tenant The claim with the tenant.
 * @param groups The claim with the groups: a list, or a text with spaces between.
 * @param kind The claim with what the client is: {@code device}, {@code application} or {@code small-application}.
 *     Without a value, {@code tributary.applications.rules} say it.
 * @param rules The claim with rules of the client's own ([security.md](security.md#rules-of-a-clients-own)). A token
 *     without it allows nothing of its own.
 * @param attributes The claims that are kept as attributes: 16, of 1KB together.
 */
public record ClaimSettings(
        @Nullable String name,
        @Nullable String clientId,
        @Nullable String userName,
        @Nullable String tenant,
        @Nullable String groups,
        @Nullable String kind,
        @Nullable String rules,
        @Nullable List<String> attributes) {

    boolean isGiven() {
        return name != null
                || clientId != null
                || userName != null
                || tenant != null
                || groups != null
                || kind != null
                || rules != null
                || attributes != null;
    }

    TokenClaims claims() {
        return new TokenClaims(
                name == null ? TokenClaims.SUBJECT.name() : name,
                clientId,
                userName,
                tenant,
                groups,
                kind,
                rules,
                attributes == null ? List.of() : attributes);
    }
}
